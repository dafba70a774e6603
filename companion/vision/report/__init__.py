"""Reports of misread rolls: one file with what a reading was decided from, to read it again."""
