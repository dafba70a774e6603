"""An evening in a quarter of the time: a table is played and watched for an hour, in a network
without a way out. See `__main__`.
"""
