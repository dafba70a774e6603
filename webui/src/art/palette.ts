/** Colours of pictures. Pictures look the same in every theme, so these are not tokens of the page. */
export const INK = "#14110f";
export const PAPER = "#f4ead5";
export const GOLD = "#f7b801";
export const RED = "#e4572e";
export const LIME = "#b6d93a";
/** The field of an eliminated monster, or of outdated content. */
export const GREY = "#9d978c";
/** The same on small tiles without text: 70 % as bright. */
export const GREY_DIM = "#6e6a62";
