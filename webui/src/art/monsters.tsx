/** The Monsters: their data and patterns; as tiles, on posters, standing on a map, crowned. */
import { useId } from "preact/hooks";
import { GOLD, GREY, GREY_DIM, INK, PAPER, RED, SignShape } from "./signs";
import { Towers } from "./towers";

export type PatternName =
  | "stripes"
  | "bricks"
  | "rings"
  | "dots"
  | "waves"
  | "ticks"
  | "checks"
  | "arcs"
  | "curls"
  | "lattice"
  | "fur"
  | "rain";

export interface Monster {
  readonly id: string;
  /** The colour behind the silhouette; ink on it has at least 4.5:1. */
  readonly field: string;
  readonly pattern: PatternName;
  /** The silhouette on a 64 grid, even-odd. */
  readonly body: string;
  /** Eyes, mouth and marks, all inside the silhouette, even-odd: they show the field. */
  readonly marks: string;
}

export const MONSTERS = [
  {
    id: "puffin_rex",
    field: "#ff9a3c",
    pattern: "stripes",
    body: "M45.6 26.7c0 0 0 .1-.1.2l.5.1c.1.2.2.3.3.5c3.5-.9 6.9-.6 10.1 1.1c-1.3 2.8-4.1 4.8-7.6 5.4c0 .1 0 .2.1.3l3.9-.7l-2.8 4.6l6.4.8l-4.8 3.6l4.4 4l-6.8.2c-.6 3.1-1.6 6.2-3.2 9.2l5.4 5h-15.8l.8-4h-3.7l1.1 4h-16l1.7-3h-16.5c4.6-2.9 8.3-6.3 11.1-10.5c0-.6-.1-1.2-.2-1.8l-7.7-3.7l7.1-5l-6.9-5.4l9.5-3.2l-6.9-6.6l8.9-1.5l-4.9-7.7l7.6.3l-.2-7.5l5.4 2.8c.4-.2.7-.4 1.1-.5l2.7-5.7l3.6 4.4c2.3 0 4.5.6 6.4 1.5c11.3-1.6 20.4 6.2 20.8 20.5c-4-3.8-8.4-4-13.8-2Z",
    marks:
      "M26.4 16.6l14.2-3.8c2 7.8-1.8 14.2-7.6 14.2c-4.6 0-7.4-4.6-6.6-10.4ZM31.2 18.4c-.2 3 1.2 5 3.2 5c2.4 0 4.2-2.6 3.6-6.8ZM46.4 10.7q4.7 5 3.6 12.2q0 .5-.4.7q-.3.3-.7.2q-.5 0-.7-.4q-.3-.3-.2-.7q.9-6.3-3.2-10.6q-.3-.3-.2-.7q0-.5.3-.8q.3-.3.7-.2q.5 0 .8.3ZM52.1 12.8q3.8 4.1 3.4 9.5q0 .4-.3.6q-.3.3-.7.2q-.4 0-.6-.3q-.3-.3-.2-.7q.2-4.5-3-8.1q-.3-.2-.2-.6q0-.4.3-.7q.2-.3.6-.2q.4 0 .7.3Z",
  },
  {
    id: "old_scree",
    field: "#bdb6a6",
    pattern: "bricks",
    body: "M21 12.6l.1-.3l-.1-.3l.4-.8l2-6.8l8.6-1.4l2 .4v.9l5.6.9l3.4 6.8l-2 7.4l-4.4 2.6v2l12.4-3l8.4 7l3.2 14l-3.6 13l3 5.4h-25.4l-1-8h-3.2l-1 8h-25.4l3-5.4l-3.6-13l3.2-14l8.4-7l12.4 3v-2l-4.4-2.6l-1.8-6.8ZM18.7 55.7l2.5-6.7l-.2-11.6l-3.4 7.6l1.2 9.6ZM45.3 55.7l-.1-1.1l1.2-9.6l-3.4-7.6l-.2 11.6Z",
    marks:
      "M25.2 25.3l5 4.5l-2.4 4.9l4.8 4l-1.2 1.4l-6-4.8l2.4-5.1l-3.8-3.5ZM55.7 34.1l-3.6 3.7l2 5.3l-1.8.6l-2.4-6.3l4.4-4.7ZM10.2 35.3l4.2 3.3l-1.5 7.6l-1.8-.4l1.3-6.4l-3.4-2.7ZM40.4 11.2l-.8 4.4l-4.8 1.8l-1.2-3ZM23.6 11.2l6.8 3.2l-1.2 3l-4.8-1.8ZM26 19.6h12l-1.6 2.4l-2.2-1.4l-2.2 2.2l-2.2-2.2l-2.2 1.4ZM42.4 26.9l-2.9 4.1l2.5 2.1l-1.2 1.4l-3.9-3.1l3.9-5.5ZM36.1 45.9l3.2 4.1l-1.5 4.9l-1.6-.6l1.3-3.9l-2.8-3.5Z",
  },
  {
    id: "lampmoth",
    field: "#c9a4ff",
    pattern: "rings",
    body: "M26 47.9c-2.1 2.1-4.7 3.5-7.8 3.7c-4.8.2-8.6-4.6-7.6-9.6c1.4-3.6 4.4-6.1 8-7.9c-10.7-2.6-16.1-13.9-14.8-24.7c9.8-1 19 2.6 24.6 8.9c.2-.7.6-1.2 1-1.7q-1.1-2.7-2.6-4.8l-4.6.6q-.3 0-.6-.2q-.3-.2-.3-.5q0-.3.2-.6q.2-.3.5-.3l3.5-.4q-1.4-1.6-3.3-2.8q0 0-.1-.1q-.2-.1-.3-.2q-1.3-.8-2.8-1.4q-.3-.2-.5-.5q-.1-.4 0-.8q.2-.3.5-.5q.4-.1.8 0q1.2.6 2.4 1.2l1.2-2.7q.1-.3.4-.4q.3-.2.6 0q.3.1.4.4q.2.3 0 .6l-1.3 3q1.2.8 2.3 1.8l1.7-3q.2-.3.5-.4q.3-.1.6.1q.3.2.4.5q.1.3-.1.6l-1.9 3.3q2.5 2.8 4.1 6.6c.3-.1.6-.1.9-.1c.3 0 .6 0 .9.1q1.6-3.8 4.1-6.6l-1.9-3.3q-.2-.3-.1-.6q.1-.3.4-.5q.3-.2.6-.1q.3.1.5.4l1.7 3q1.1-1 2.3-1.8l-1.3-3q-.2-.3 0-.6q.1-.3.4-.4q.3-.2.6 0q.3.1.4.4l1.2 2.7q1.2-.6 2.4-1.2q.4-.1.8 0q.3.2.5.5q.1.4 0 .8q-.2.3-.5.5q-1.5.6-2.8 1.4q-.1.1-.3.2q-.1.1-.1.1q-1.9 1.2-3.3 2.8l3.5.4q.3 0 .5.3q.2.3.2.6q0 .3-.3.5q-.3.2-.6.2l-4.6-.6q-1.5 2.1-2.6 4.8c.4.5.8 1 1 1.7c5.6-6.3 14.8-9.9 24.6-8.9c1.3 10.8-4.1 22.1-14.8 24.7c3.6 1.8 6.6 4.3 8 7.9c1 5-2.8 9.8-7.6 9.6c-3.1-.2-5.7-1.6-7.8-3.7c0 0 0 .1 0 .1c.6 5-2.2 8.6-6 12.4c-3.8-3.8-6.6-7.4-6-12.4c0 0 0-.1 0-.1Z",
    marks:
      "M22.6 21.4c0 3.4-2.8 6.2-6.2 6.2c-3.4 0-6.2-2.8-6.2-6.2c0-3.4 2.8-6.2 6.2-6.2c3.4 0 6.2 2.8 6.2 6.2ZM53.8 21.4c0 3.4-2.8 6.2-6.2 6.2c-3.4 0-6.2-2.8-6.2-6.2c0-3.4 2.8-6.2 6.2-6.2c3.4 0 6.2 2.8 6.2 6.2ZM48.5 43c0 2-1.7 3.7-3.7 3.7c-2 0-3.7-1.7-3.7-3.7c0-2 1.7-3.7 3.7-3.7c2 0 3.7 1.7 3.7 3.7ZM22.9 43c0 2-1.7 3.7-3.7 3.7c-2 0-3.7-1.7-3.7-3.7c0-2 1.7-3.7 3.7-3.7c2 0 3.7 1.7 3.7 3.7ZM19.8 21.4c0-1.9-1.5-3.4-3.4-3.4c-1.9 0-3.4 1.5-3.4 3.4c0 1.9 1.5 3.4 3.4 3.4c1.9 0 3.4-1.5 3.4-3.4ZM51 21.4c0-1.9-1.5-3.4-3.4-3.4c-1.9 0-3.4 1.5-3.4 3.4c0 1.9 1.5 3.4 3.4 3.4c1.9 0 3.4-1.5 3.4-3.4ZM28.6 46.4h6.8v1.7h-6.8ZM28.9 50h6.2v1.7h-6.2ZM46.4 43c0-.9-.7-1.6-1.6-1.6c-.9 0-1.6.7-1.6 1.6c0 .9.7 1.6 1.6 1.6c.9 0 1.6-.7 1.6-1.6ZM20.8 43c0-.9-.7-1.6-1.6-1.6c-.9 0-1.6.7-1.6 1.6c0 .9.7 1.6 1.6 1.6c.9 0 1.6-.7 1.6-1.6ZM30 53.6h4v1.6h-4ZM35.2 20.2c0 .7-.5 1.3-1.2 1.3c-.7 0-1.2-.6-1.2-1.3c0-.7.5-1.2 1.2-1.2c.7 0 1.2.5 1.2 1.2ZM31.2 20.2c0 .7-.5 1.3-1.2 1.3c-.7 0-1.2-.6-1.2-1.3c0-.7.5-1.2 1.2-1.2c.7 0 1.2.5 1.2 1.2ZM47.9 20.6c0 .7-.5 1.2-1.2 1.2c-.7 0-1.2-.5-1.2-1.2c0-.7.5-1.2 1.2-1.2c.7 0 1.2.5 1.2 1.2ZM18.5 20.6c0 .7-.5 1.2-1.2 1.2c-.7 0-1.2-.5-1.2-1.2c0-.7.5-1.2 1.2-1.2c.7 0 1.2.5 1.2 1.2Z",
  },
  {
    id: "inkwell",
    field: "#7d97ff",
    pattern: "dots",
    body: "M32 4.4c12.6 0 19 8.6 18.4 18.6c-.4 5.8-3.8 9.8-6.4 13.5q2.1 1.9 4.5 2.8q4 1.6 6.5-.7q1.2-1.4.5-2.6q-.2-.3-.4-.3q-.2 0-.7.3q-.3.3-.8.4q-.4.1-.9.1q-.4-.1-.8-.3q-.4-.2-.7-.6q-.3-.3-.4-.8q-.1-.4-.1-.9q.1-.4.3-.8q.2-.4.6-.7q2.1-1.7 4.4-1.2q2.1.4 3.4 2.4q2.6 4.2-1.1 8.2h-.1v.1q-1.4 1.3-3 1.9q.2.7.2 1.5q.2 5.3-5.3 7.4l-.1.1q-.3.1-.7.2q.3.5.4 1.2q.2 1.8-.9 3.3q-2.3 3.2-6.9 2.1h-.1q-4.5-1.1-7.2-5.8c-.7 2-1.6 3.9-2.6 5.8c-1-1.9-1.9-3.8-2.6-5.8q-2.7 4.7-7.2 5.8h-.1q-4.6 1.1-6.9-2.1q-1.1-1.5-.9-3.3q.1-.7.4-1.2q-.4-.1-.7-.2l-.1-.1q-5.5-2.1-5.3-7.4q0-.8.2-1.5q-1.6-.6-3-1.9v-.1h-.1q-3.7-4-1.1-8.2q1.3-2 3.4-2.4q2.3-.5 4.4 1.2q.4.3.6.7q.2.4.3.8q0 .5-.1.9q-.1.5-.4.8q-.3.4-.7.6q-.4.2-.8.3q-.5 0-.9-.1q-.5-.1-.8-.4q-.5-.3-.7-.3q-.2 0-.4.3q-.7 1.2.5 2.6q2.5 2.3 6.5.7q2.4-.9 4.5-2.8c-2.6-3.7-6-7.7-6.4-13.5c-.6-10 5.8-18.6 18.4-18.6ZM46.9 43.7q0-.1 0-.1q-3.2-1.2-5.9-3.5c-.4.2-.9.5-1.4.7q1.2 3.6 3.3 5.7q2.6 2.6 5.4 1.6q2.2-.9 2.2-2.7q-.1-.3-.1-.4q-.2-.1-.7 0q-.5.1-1 .1q-.5-.1-.9-.4q-.4-.3-.7-.7q-.1-.2-.2-.3ZM17.1 43.7q-.1.1-.2.3q-.3.4-.7.7q-.4.3-.9.4q-.5 0-1-.1q-.5-.1-.7 0q0 .1-.1.4q0 1.8 2.2 2.7q2.8 1 5.4-1.6q2.1-2.1 3.3-5.7c-.5-.2-1-.5-1.4-.7q-2.7 2.3-5.9 3.5q0 0 0 .1ZM44.1 53q-2.5-.7-4.8-3q-1.4-1.4-2.4-3.2q.4 1.9 1.1 3.5q1.9 4 4.9 4.9q1.6.3 2.2-.3q-.4-.3-.6-.6q-.3-.4-.4-.8q0-.3 0-.5ZM19.9 53q0 .2 0 .5q-.1.4-.4.8q-.2.3-.6.6q.6.6 2.2.3q3-.9 4.9-4.9q.7-1.6 1.1-3.5q-1 1.8-2.4 3.2q-2.3 2.3-4.8 3Z",
    marks:
      "M19.4 23.4l10.6 5.2c-.6 4-3.4 5.8-6.2 5c-3.4-1-5.2-5.6-4.4-10.2ZM44.6 23.4c.8 4.6-1 9.2-4.4 10.2c-2.8.8-5.6-1-6.2-5ZM18.6 17.4q2-7.8 9.6-9.6q.4-.1.7.2q.4.2.5.6q.1.4-.2.7q-.2.4-.6.5q-6.4 1.4-8 8q-.1.4-.5.7q-.3.2-.7.1q-.4-.1-.7-.5q-.2-.3-.1-.7ZM27.9 36.9q4.1-2.7 8.2 0q.3.2.3.5q.1.4-.1.7q-.2.3-.5.3q-.4.1-.7-.1q-3.1-2.1-6.2 0q-.3.2-.7.1q-.3 0-.5-.3q-.2-.3-.1-.7q0-.3.3-.5ZM27.1 29.4c0-1-.9-1.9-1.9-1.9c-1 0-1.9.9-1.9 1.9c0 1 .9 1.9 1.9 1.9c1 0 1.9-.9 1.9-1.9ZM36.9 29.4c0 1 .9 1.9 1.9 1.9c1 0 1.9-.9 1.9-1.9c0-1-.9-1.9-1.9-1.9c-1 0-1.9.9-1.9 1.9Z",
  },
  {
    id: "kelp_auntie",
    field: "#2fc7a4",
    pattern: "waves",
    body: "M37.4 8.6c0 1.5-.6 2.8-1.6 3.8c6.4 1.4 10.2 6.3 10.2 12.4c0 4.2-1.6 7.2-4 9.6c.2.2.4.4.6.6q3.3-.2 5.1-2q2.7-2.6 2.3-8.2q0-.6.2-1.2q0-.2.2-.4l-1.8-3.9q-.2-.3-.2-.6q0-.3.1-.6q.1-.3.3-.6q.2-.2.5-.3q.3-.2.6-.2q.3 0 .6.1q.3.1.6.3q.2.2.3.5l1.2 2.6l1.1-3.5q.1-.4.3-.6q.1-.2.4-.4q.3-.2.6-.2q.3 0 .6.1q.4.1.6.3q.2.1.4.4q.2.3.2.6q0 .3-.1.6l-1 3.7l2.7-1.7q.2-.1.5-.2q.4 0 .7 0q.3.1.5.3q.3.2.5.5q.1.2.2.5q0 .4 0 .7q-.1.3-.3.5q-.2.3-.5.5l-4 2.4q.3 7.9-4 12.3q-2.2 2.1-5.1 3c2.5 4 4 8.4 4.5 12.7c2.6 1.4 3 4.4.2 6c-1.8 1-3.5.7-5 .4c-1.3-.2-2.5-.4-3.6 0c-1.6.8-3.2.5-4.6.3c-1.1-.2-2.1-.4-3-.1c-2.4 1-4.8.8-7 0c-1.1-.4-2.2-.1-3.3.1c-1.3.4-2.7.7-4.1-.1c-1.2-.7-2.5-.4-3.9-.2c-1.5.3-3.1.6-4.7-.4c-2.8-1.6-2.4-4.6.2-6c.5-4.3 2-8.7 4.5-12.7q-2.9-.9-5.1-3q-4.3-4.4-4-12.3l-4-2.4q-.3-.2-.5-.5q-.2-.2-.3-.5q0-.3 0-.7q.1-.3.2-.5q.2-.3.5-.5q.2-.2.5-.3q.3 0 .7 0q.3.1.5.2l2.7 1.7l-1-3.7q-.1-.3-.1-.6q0-.3.2-.6q.2-.3.4-.4q.2-.2.6-.3q.3-.1.6-.1q.3 0 .6.2q.3.2.4.4q.2.2.3.6l1.1 3.5l1.2-2.6q.1-.3.3-.5q.3-.2.6-.3q.3-.1.6-.1q.3 0 .6.2q.3.1.5.3q.2.3.3.6q.1.3.1.6q0 .3-.2.6l-1.8 3.9q.2.2.2.4q.2.6.2 1.2q-.4 5.6 2.3 8.2q1.8 1.8 5.1 2c.2-.2.4-.4.6-.6c-2.4-2.4-4-5.4-4-9.6c0-6.1 3.8-11 10.2-12.4c-1-1-1.6-2.3-1.6-3.8c0-3 2.4-5.4 5.4-5.4c3 0 5.4 2.4 5.4 5.4Z",
    marks:
      "M31.6 24.1c-.3 2.9-2.7 5.1-5.6 5.1c-3.1 0-5.6-2.5-5.6-5.6c0-1 .3-1.9.7-2.8l-1.7-.5l.4-1.4l2.3.7c1-1 2.4-1.6 3.9-1.6c2.8 0 5 2 5.5 4.6h1c.5-2.6 2.7-4.6 5.5-4.6c1.5 0 2.9.6 3.9 1.6l2.3-.7l.4 1.4l-1.7.5c.4.9.7 1.8.7 2.8c0 3.1-2.5 5.6-5.6 5.6c-2.9 0-5.3-2.2-5.6-5.1ZM34.1 23.6c0 2.2 1.7 3.9 3.9 3.9c2.2 0 3.9-1.7 3.9-3.9c0-.8-.3-1.6-.7-2.2l-3.3 1c.6.2 1 .7 1 1.4c0 .8-.7 1.5-1.5 1.5c-.8 0-1.5-.7-1.5-1.5c0-.8.6-1.5 1.5-1.5l-.4-1.2l2.9-.9c-.6-.3-1.2-.5-1.9-.5c-2.2 0-3.9 1.7-3.9 3.9ZM29.9 23.6c0-2.2-1.7-3.9-3.9-3.9c-.7 0-1.3.2-1.9.5l2.9.9l-.4 1.2c.9 0 1.5.7 1.5 1.5c0 .8-.7 1.5-1.5 1.5c-.8 0-1.5-.7-1.5-1.5c0-.7.4-1.2 1-1.4l-3.3-1c-.4.6-.7 1.4-.7 2.2c0 2.2 1.7 3.9 3.9 3.9c2.2 0 3.9-1.7 3.9-3.9ZM30 40.1q1.2 2 .3 6.3q-.8 4.6 0 7.3q.1.4-.1.7q-.1.4-.5.5q-.4.1-.7-.1q-.4-.1-.5-.5q-1-3.2 0-8.2q.7-3.7-.1-5q-.2-.4-.1-.7q.1-.4.4-.6q.4-.2.7-.1q.4.1.6.4ZM36.8 40.1q1.2 2 .3 6.3q-.8 4.6 0 7.3q.1.4-.1.7q-.1.4-.5.5q-.4.1-.7-.1q-.4-.1-.5-.5q-1-3.2 0-8.2q.7-3.7-.1-5q-.2-.4-.1-.7q.1-.4.4-.6q.4-.2.7-.1q.4.1.6.4ZM43.2 41.9q1.1 1.9.2 5.4q-.9 3.3-.3 5.2q.1.4-.1.7q-.1.4-.5.5q-.4.1-.7-.1q-.4-.1-.5-.5q-.8-2.5.2-6.3q.8-2.8.1-3.9q-.2-.3-.1-.7q.1-.4.4-.6q.3-.2.7-.1q.4.1.6.4ZM23.4 41.9q1.1 1.9.2 5.4q-.9 3.3-.3 5.2q.1.4-.1.7q-.1.4-.5.5q-.4.1-.7-.1q-.4-.1-.5-.5q-.8-2.5.2-6.3q.8-2.8.1-3.9q-.2-.3-.1-.7q.1-.4.4-.6q.3-.2.7-.1q.4.1.6.4ZM28.1 30.9q3.9 2.6 7.8 0q.3-.3.7-.2q.3.1.5.4q.3.3.2.7q-.1.3-.4.5q-4.9 3.4-9.8 0q-.3-.2-.4-.5q-.1-.4.2-.7q.2-.3.5-.4q.4-.1.7.2ZM28.2 5.1q1.6-1.4 3.9-1.1q.2 0 .4.2q.2.2.1.5q0 .2-.2.4q-.2.2-.5.1q-1.7-.1-2.9.9q-.2.2-.4.1q-.3 0-.5-.2q-.2-.2-.1-.4q0-.3.2-.5Z",
  },
  {
    id: "spinella",
    field: "#83cf8a",
    pattern: "ticks",
    body: "M30.9 7l1.1-6l1.1 6c1.1 0 2.2.2 3.1.6l3.4-4.8l-1.4 5.9c1.7 1.2 2.9 2.9 3.5 4.9l5.4-1.6l-5.1 4.1v8.1l5.2.6l-5.2 1.8v7.2h5.4q2.8 0 2.8-2.8v-12.6q0-.8.3-1.6q.3-.8.9-1.4q.6-.6 1.4-.9q.3-.1.5-.2l1.1-4.7l1.1 4.7q.2.1.5.2q.8.3 1.4.9q.6.6.9 1.4q.3.6.3 1.3l3.3-.3l-3.3 2.3v6.8l4 1.1l-4 1.1v1.9q0 4.4-2.3 7.3l2.3 4.5l-3.9-2.9q-2.5 2-6.2 2.3l-1.1 4.4l-1.1-4.4h-4.3v3.7l4.7 1.5l-4.7.7v6.8l4.6 2l-4.6.3v3.2h-20v-6.2l-4.6-.3l4.6-2v-3.7h-4l-1 4.2l-1-4.2q-3.9-.2-6.5-2.1l-3.7 2.7l2.1-4.2q-2.5-2.9-2.5-7.5l-4-1.1l4-1.1v-6.6l-3.3-2.3l3.3.3q0-.8.3-1.5q.3-.8.9-1.4q.6-.6 1.4-.9q.3-.1.5-.2l1.1-4.7l1.1 4.7q.2.1.5.2q.8.3 1.4.9q.6.6.9 1.4q.3.8.3 1.6v10.6q0 2.8 2.8 2.8h5.4v-5.2l-5.3-.6l5.3-1.8v-7l-5.4-1.8l5.4-.6v-6.7l-5.1-4.1l5.4 1.6c.6-2 1.8-3.7 3.5-4.9l-1.4-5.9l3.4 4.8c.9-.4 2-.6 3.1-.6Z",
    marks:
      "M24.8 29h14.4l-.8 3.6l-2-1.8l-2 3.8l-2.4-3.6l-2.4 3.6l-2-3.8l-2 1.8ZM31.1 42h1.7v15h-1.7ZM24.6 17.4l6.4 4l-1.4 3.4l-4.2-1.8ZM39.4 17.4l-.8 5.6l-4.2 1.8l-1.4-3.4ZM26.4 40h1.7v14h-1.7ZM35.9 40h1.7v14h-1.7Z",
  },
  {
    id: "crabminster",
    field: "#f08a72",
    pattern: "checks",
    body: "M32 26c1.4 0 2.8.1 4.1.2l.7-5.9c-1.7-.7-2.9-2.3-2.9-4.3c0-2.6 2.1-4.7 4.7-4.7c2.6 0 4.7 2.1 4.7 4.7c0 2.2-1.5 4-3.5 4.5l-.7 6.1c4.8.9 8.5 2.7 11.1 5.1q.1-.2.3-.5q.7-1.2.5-2.8c-5.3-1.5-7.3-6.9-5.4-12.4c1.4-4.6 5-8.6 9.4-11.4c-.6 3.4-.4 6 .6 8.6c1.6-2.6 2.8-4.2 4.8-5.8c2.2 7.2 1 14.6-3 19c-.5.5-1 1-1.5 1.3q.5 3.3-1.1 6.1q-.7 1.1-1.7 2c.6 1.3.9 2.7.9 4.2c0 .6 0 1.3-.1 1.9l3.3-.5q.9-.1 1.5.7l3.6 5q.2.2.3.5q0 .3 0 .7q-.1.3-.2.5q-.2.3-.5.5q-.2.2-.5.3q-.3 0-.7 0q-.3-.1-.5-.2q-.3-.2-.5-.5l-3-4.2l-3.8.5c-.4 1-1 1.9-1.6 2.8l4 .8q.8.2 1.2 1l2.4 5.6q.1.3.1.6q0 .3-.1.6q-.1.3-.4.5q-.2.2-.5.4q-.3.1-.6.1q-.3 0-.6-.1q-.3-.1-.5-.4q-.2-.2-.4-.5l-2-4.8l-5.2-1c-.7.5-1.4 1-2.2 1.5l3.9 2.1q.6.4.8 1.1l.8 4.2q0 .3 0 .6q-.1.3-.3.6q-.2.3-.4.4q-.3.2-.6.3q-.3 0-.6 0q-.3-.1-.6-.3q-.3-.2-.4-.4q-.2-.3-.3-.6l-.6-3.5l-4.6-2.4q-.2-.1-.4-.4q0 0-.1 0c-3.1 1.3-6.9 2-11.1 2c-4.2 0-8-.7-11.1-2q-.1 0-.1 0q-.2.3-.4.4l-4.6 2.4l-.6 3.5q-.1.3-.3.6q-.1.2-.4.4q-.3.2-.6.3q-.3 0-.6 0q-.3-.1-.6-.3q-.2-.1-.4-.4q-.2-.3-.3-.6q0-.3 0-.6l.8-4.2q.2-.7.8-1.1l3.9-2.1c-.8-.5-1.5-1-2.2-1.5l-5.2 1l-2 4.8q-.2.3-.4.5q-.2.3-.5.4q-.3.1-.6.1q-.3 0-.6-.1q-.3-.2-.5-.4q-.3-.2-.4-.5q-.1-.3-.1-.6q0-.3.1-.6l2.4-5.6q.4-.8 1.2-1l4-.8c-.6-.9-1.2-1.8-1.6-2.8l-3.8-.5l-3 4.2q-.2.3-.5.5q-.2.1-.5.2q-.4 0-.7 0q-.3-.1-.5-.3q-.3-.2-.5-.5q-.1-.2-.2-.5q0-.4 0-.7q.1-.3.3-.5l3.6-5q.6-.8 1.5-.7l3.3.5c-.1-.6-.1-1.3-.1-1.9c0-1.5.3-2.9.9-4.2q-1-.9-1.7-2q-1.6-2.8-1.1-6.1c-.5-.3-1-.8-1.5-1.3c-4-4.4-5.2-11.8-3-19c2 1.6 3.2 3.2 4.8 5.8c1-2.6 1.2-5.2.6-8.6c4.4 2.8 8 6.8 9.4 11.4c1.9 5.5-.1 10.9-5.4 12.4q-.2 1.6.5 2.8q.2.3.3.5c2.6-2.4 6.3-4.2 11.1-5.1l-.7-6.1c-2-.5-3.5-2.3-3.5-4.5c0-2.6 2.1-4.7 4.7-4.7c2.6 0 4.7 2.1 4.7 4.7c0 2-1.2 3.6-2.9 4.3l.7 5.9c1.3-.1 2.7-.2 4.1-.2Z",
    marks:
      "M19.6 38.6h24.8l-4 9l-2.8-4.6l-2.8 6.4l-2.8-5.8l-2.8 5.8l-2.8-6.4l-2.8 4.6ZM22.4 16c0-1.7 1.3-3 3-3c1.7 0 3 1.3 3 3c0 1.7-1.3 3-3 3c-1.7 0-3-1.3-3-3ZM41.6 16c0 1.7-1.3 3-3 3c-1.7 0-3-1.3-3-3c0-1.7 1.3-3 3-3c1.7 0 3 1.3 3 3ZM20.1 30.8q.4-.2.7-.1q.4.1.6.4q.2.4.1.7q-.1.4-.4.6l-4 2.4q-.4.2-.7.1q-.4-.1-.6-.4q-.2-.4-.1-.7q.1-.4.4-.6ZM43.9 30.8l4 2.4q.3.2.4.6q.1.3-.1.7q-.2.3-.6.4q-.3.1-.7-.1l-4-2.4q-.3-.2-.4-.6q-.1-.3.1-.7q.2-.3.6-.4q.3-.1.7.1ZM39.3 16.6c0-.8-.6-1.4-1.4-1.4c-.8 0-1.4.6-1.4 1.4c0 .8.6 1.4 1.4 1.4c.8 0 1.4-.6 1.4-1.4ZM24.7 16.6c0 .8.6 1.4 1.4 1.4c.8 0 1.4-.6 1.4-1.4c0-.8-.6-1.4-1.4-1.4c-.8 0-1.4.6-1.4 1.4Z",
  },
  {
    id: "snailquake",
    field: "#f2a3d6",
    pattern: "arcs",
    body: "M4 60.4c1.4-4 6-6.8 12-6.8h3.9c-8.3-2.6-13.9-10.2-13.9-19.8c0-8 4.3-14.7 10.7-18.2l2.3 4.8l-2.8 2l4.4 6l-2-5.6l3-1.8l-2.8-6.4c2.6-1 5.3-1.6 8.2-1.6c11.6 0 19.6 8.6 19.6 19.8c0 9.6-5.7 18-14 20.8h9.4c4.6-.6 6.2-5.6 5.6-12.6c-.5-6.4.4-12.1 3.8-14.2q-1.6-7.3-4.4-12.4c-.1 0-.3 0-.4 0c-2.1 0-3.8-1.7-3.8-3.8c0-2.1 1.7-3.8 3.8-3.8c2.1 0 3.8 1.7 3.8 3.8c0 1-.4 1.9-1 2.6q3 5.3 4.6 12.8c.1 0 .3 0 .4 0c.5 0 1 0 1.4.1q1-8.4 2.3-14.4c-1.4-.5-2.3-1.8-2.3-3.3c0-2 1.6-3.6 3.6-3.6c2 0 3.6 1.6 3.6 3.6c0 1.5-.9 2.8-2.2 3.3q-1.3 6.3-2.4 15.7c2.3 2.1 3 6.3 2.4 11c-1.2 11.6-6.8 22-17.8 22Z",
    marks:
      "M25.4 33.5q1-1.6 2.5-1.9q1.5-.3 2.8.7q2.7 2.1 1.1 5.8q0 0 0 .1q-1.9 4.2-6.8 3.6q-4.9-.6-6.3-5.4q-1.4-5 1.5-8.6l.4.6l-.3-.8q.2-.2.4-.4q3.4-3.7 8.3-2.9q5.9.8 9 5.8q3 4.9 1.5 10.6q-2.3 8.7-11.3 9.8q-.3.1-.6 0q-.2-.1-.4-.2q-.2-.2-.4-.4q-.1-.3-.1-.5q-.1-.3 0-.6q.1-.2.2-.4q.2-.2.4-.4q.3-.1.5-.1q7.2-1 9.1-7.8q1.2-4.7-1.2-8.6q-2.4-3.9-7.1-4.6q-3.5-.5-5.9 2.1q-2.5 2.7-1.4 6.6q.9 3.1 4 3.5q2.9.4 4.1-2q.7-1.9-.3-2.7q-.3-.2-.6-.1q-.4 0-.7.6q-.2.2-.4.4q-.2.1-.5.2q-.2.1-.5 0q-.3 0-.5-.1q-.2-.2-.4-.4q-.1-.2-.2-.5q-.1-.2 0-.5q0-.3.1-.5ZM51.9 40.7q3-2 6.3-.4q.3.1.4.4q.1.4-.1.7q-.1.3-.4.4q-.4.1-.7-.1q-2.3-1.2-4.5.4q-.3.1-.6.1q-.4-.1-.6-.3q-.1-.3-.1-.6q.1-.4.3-.6ZM51.4 33.2l3.8 2l-.8 2.2l-2.8-1ZM60.4 32.2l-.2 3.2l-2.8 1.4l-.6-2.2ZM48.1 10.6c0 .8-.7 1.5-1.5 1.5c-.8 0-1.5-.7-1.5-1.5c0-.8.7-1.5 1.5-1.5c.8 0 1.5.7 1.5 1.5ZM60.8 8.4c0 .8-.6 1.4-1.4 1.4c-.8 0-1.4-.6-1.4-1.4c0-.8.6-1.4 1.4-1.4c.8 0 1.4.6 1.4 1.4Z",
  },
  {
    id: "wispwool",
    field: "#efe6cf",
    pattern: "curls",
    body: "M58.7 28.1c0 2.8-1.4 5.3-3.5 6.8c.8 1.3 1.3 2.8 1.3 4.5c0 4.6-3.8 8.4-8.4 8.4c-.4 0-.7 0-1.1-.1v11.1c0 .9-.7 1.6-1.6 1.6h-4.4c-.9 0-1.6-.7-1.6-1.6v-3.7c-.3.1-.7.1-1 .1c-.9 0-1.8-.2-2.6-.4v4c0 .9-.7 1.6-1.6 1.6h-4.4c-.9 0-1.6-.7-1.6-1.6v-4c-.8.2-1.7.4-2.6.4c-.3 0-.7 0-1-.1v3.7c0 .9-.7 1.6-1.6 1.6h-4.4c-.9 0-1.6-.7-1.6-1.6v-11.1c-.4.1-.7.1-1.1.1c-4.6 0-8.4-3.8-8.4-8.4c0-1.7.5-3.2 1.3-4.5c-2.1-1.5-3.5-4-3.5-6.8c0-4 2.8-7.4 6.5-8.2c-.1-.6-.2-1.2-.2-1.8c0-4.6 3.8-8.4 8.4-8.4c1.6 0 3 .4 4.3 1.2c1.1-2.6 3.5-4.6 6.5-5q.2-.8.7-1.4q1.7-2.4 5-2.2q3.2.2 3.7 3.1q.2 1.3-.4 2.3q-.5.8-1.3 1.1c.5.6.9 1.3 1.2 2.1c1.3-.8 2.7-1.2 4.3-1.2c4.6 0 8.4 3.8 8.4 8.4c0 .6-.1 1.2-.2 1.8c3.7.8 6.5 4.2 6.5 8.2ZM33.6 6c1 .1 1.9.5 2.8 1q.3-.4.8-.5q.3 0 .4-.2q.1-.2 0-.4q-.1-.9-1.3-1q-1.8-.1-2.7 1.1Z",
    marks:
      "M42 19.3q5.1-2.9 9.2-.5q.6.3 1 .7c0 .1 0 .3 0 .4c.2 0 .4.1.7.2q2.4 2.4 1.9 6.6q-.5 4.9-4.9 5.7q-4.7.9-5.7-3.5q-.7-2.8 1.6-4.1q2.2-1.4 4.2.5q.4.3.4.8q.1.5-.3.9q-.3.4-.8.4q-.5.1-.9-.3q-.7-.6-1.4-.2q-.6.4-.4 1.4q.5 2.1 2.8 1.7q2.6-.5 3-3.5q.3-3.9-2.5-5.5q-2.8-1.7-6.7.5q-.4.2-.9.1q-.5-.1-.8-.6q-.2-.4-.1-.9q.1-.5.6-.8ZM22 19.3q.5.3.6.8q.1.5-.1.9q-.3.5-.8.6q-.5.1-.9-.1q-3.9-2.2-6.7-.5q-2.8 1.6-2.5 5.5q.4 3 3 3.5q2.3.4 2.8-1.7q.2-1-.4-1.4q-.7-.4-1.4.2q-.4.4-.9.3q-.5 0-.8-.4q-.4-.4-.3-.9q0-.5.4-.8q2-1.9 4.2-.5q2.3 1.3 1.6 4.1q-1 4.4-5.7 3.5q-4.4-.8-4.9-5.7q-.5-4.2 1.9-6.6c.3-.1.5-.2.7-.2c0-.1 0-.3 0-.4q.4-.4 1-.7q4.1-2.4 9.2.5ZM23 25.6l7 3.8l-1.4 3.4l-4.8-1.8ZM41 25.6l-.8 5.4l-4.8 1.8l-1.4-3.4ZM28 43q.9.9 1.8.7q1-.2 1.4-1.4l.8-2.2l.8 2.2q.4 1.2 1.4 1.4q.9.2 1.8-.7q.2-.2.6-.2q.4 0 .6.2q.2.2.2.6q0 .4-.2.6q-1.5 1.5-3.4 1.2q-1.1-.3-1.8-1.1q-.7.8-1.8 1.1q-1.9.3-3.4-1.2q-.3-.2-.3-.6q0-.4.3-.6q.2-.2.6-.2q.4 0 .6.2ZM26.2 19.1q.9-2.4 3.2-2.5q2.4-.2 3 2.2q.1.3-.1.6q-.1.3-.5.4q-.3.1-.6-.1q-.3-.1-.4-.5q-.3-1-1.3-1q-1.2.1-1.7 1.5q-.1.3-.5.5q-.3.1-.6 0q-.3-.1-.5-.5q-.1-.3 0-.6ZM34.2 18.5q.9-2.4 3.2-2.5q2.4-.2 3 2.2q.1.3-.1.6q-.1.3-.5.4q-.3.1-.6-.1q-.3-.1-.4-.5q-.3-1-1.3-1q-1.2.1-1.7 1.5q-.1.3-.5.5q-.3.1-.6 0q-.3-.1-.5-.5q-.1-.3 0-.6ZM29.4 37h5.2l-2.6 2.8Z",
  },
  {
    id: "pylonna",
    field: "#cfc04e",
    pattern: "lattice",
    body: "M38.6 10c0 1.5-.5 2.8-1.3 3.9l12.9 6.1h7.6c.7 0 1.2.5 1.2 1.2v1.2c0 .7-.5 1.2-1.2 1.2h-.6v2.6c1.2.4 2 1.5 2 2.8c0 .9-.4 1.8-1.1 2.3c.4.5.6 1.1.6 1.7c0 1.4-1.1 2.5-2.5 2.5c-1.4 0-2.5-1.1-2.5-2.5c0-.6.2-1.2.6-1.7c-.7-.5-1.1-1.4-1.1-2.3c0-1.3.8-2.4 2-2.8v-2.6h-7.4v1.5c.8.3 1.4 1.1 1.4 2.1c0 1.3-1 2.3-2.3 2.3c-1.3 0-2.3-1-2.3-2.3c0-1 .6-1.8 1.4-2.1v-1.5h-6.3l12.2 35.4h2.5v1.9h-5.3h-.1h-3.6v-1.9h3l-2-5.7v.5h-.7l-.2.2l-.6-.2h-25.8l-.6.2l-.2-.2h-.7v-.5l-2 5.7h3v1.9h-3.6h-.1h-5.3v-1.9h2.5l12.2-35.4h-6.3v1.5c.8.3 1.4 1.1 1.4 2.1c0 1.3-1 2.3-2.3 2.3c-1.3 0-2.3-1-2.3-2.3c0-1 .6-1.8 1.4-2.1v-1.5h-7.4v2.6c1.2.4 2 1.5 2 2.8c0 .9-.4 1.8-1.1 2.3c.4.5.6 1.1.6 1.7c0 1.4-1.1 2.5-2.5 2.5c-1.4 0-2.5-1.1-2.5-2.5c0-.6.2-1.2.6-1.7c-.7-.5-1.1-1.4-1.1-2.3c0-1.3.8-2.4 2-2.8v-2.6h-.6c-.7 0-1.2-.5-1.2-1.2v-1.2c0-.7.5-1.2 1.2-1.2h7.6l12.9-6.1c-.8-1.1-1.3-2.4-1.3-3.9c0-3.6 3-6.6 6.6-6.6c3.6 0 6.6 3 6.6 6.6ZM45.6 51.1l-2.8-8.3l-8.1 3.7l9.8 4.6ZM21.2 42.8l-2.8 8.3h1.1l9.8-4.6ZM25.4 30.7l-3.1 9l7.7-5.7l-3.9-2.8l-.3.1l-.4-.6ZM41.7 39.7l-3.1-9l-.4.6l-.3-.1l-3.9 2.8l7.7 5.7ZM26.2 39.7h11.6l-5.8-4.2ZM24.9 51.1h14.2l-7.1-3.3ZM38.2 42.3h-12.4l6.2 2.9ZM35 20l-1.3-3.6c-.5.1-1.1.2-1.7.2c-.6 0-1.2-.1-1.7-.2l-1.3 3.6ZM37.1 16l1.4 4h7.1ZM18.4 20h7.1l1.4-4ZM35.1 30.4h-6.2l3.1 2.2ZM37.6 27.6l-1.2-3.4l-2.4 1.6l2.7 1.8ZM27.6 24.2l-1.2 3.4h.9l2.7-1.8ZM33.3 23.6h-2.6l1.3.9ZM31.3 27.6h1.4l-.7-.4Z",
    marks:
      "M36.7 10c0 2.6-2.1 4.7-4.7 4.7c-2.6 0-4.7-2.1-4.7-4.7c0-.7.2-1.4.5-2.1l3.5 1.2c-.8.3-1.3 1.1-1.3 1.9c0 1.1.9 2 2 2c1.1 0 2-.9 2-2c0-.8-.5-1.6-1.3-1.9l3.5-1.2c.3.7.5 1.4.5 2.1Z",
  },
  {
    id: "tuskadon",
    field: "#c99562",
    pattern: "fur",
    body: "M32 4c9.6 0 14.8 5.4 16.4 12c8 1.4 13 8 11.6 17c-.6 3.6-3.6 6-6.6 5.6c2 6.8 2.6 14.4 2.2 21.8h-12.2l-.8-8.4l-3 8.4h-15.2l-3-8.4l-.8 8.4h-12.2c-.4-7.4.2-15 2.2-21.8c-3 .4-6-2-6.6-5.6c-1.4-9 3.6-15.6 11.6-17c1.6-6.6 6.8-12 16.4-12Z",
    marks:
      "M38.2 34.6c8.4.8 11.6 7.4 8.6 14c-.9 2-2.3 3.5-4.1 4.3l-.1-.9l-.4 1.1c-1 .4-2 .6-3 .5c3.4-3 4.6-6.6 3.4-10c-1-2.8-2.8-3.8-5-4.2ZM25.8 34.6l.6 4.8c-2.2.4-4 1.4-5 4.2c-1.2 3.4 0 7 3.4 10c-1 .1-2-.1-3-.5l-.4-1.1l-.1.9c-1.8-.8-3.2-2.3-4.1-4.3c-3-6.6.2-13.2 8.6-14ZM23.2 13.1l2.9 3.5l2.7-5l3.2 5.4l3.2-5.4l2.7 5l2.9-3.5l1.2 1l-4.3 5.3l-2.5-4.6l-3.2 5.4l-3.2-5.4l-2.5 4.6l-4.3-5.3ZM21.4 22.6l7.6 3.8l-1.6 3.4l-5.4-2.2ZM42.6 22.6l-.6 5l-5.4 2.2l-1.6-3.4ZM14.1 21.7q.4-.1.7 0q.4.2.5.6q.1.4 0 .7q-.2.4-.6.5q-5.7 2-4.2 8.9q.1.4-.1.7q-.2.3-.6.4q-.4.1-.7-.1q-.3-.2-.4-.6q-.9-3.8.6-6.8q1.4-3.1 4.8-4.3ZM49.9 21.7q3.4 1.2 4.8 4.3q1.5 3 .6 6.8q-.1.4-.4.6q-.3.2-.7.1q-.4-.1-.6-.4q-.2-.3-.1-.7q1.5-6.9-4.2-8.9q-.4-.1-.6-.5q-.1-.3 0-.7q.1-.4.5-.6q.3-.1.7 0ZM29.4 37h5.2v1.6h-5.2ZM29.4 41h5.2v1.6h-5.2ZM29.4 45h5.2v1.6h-5.2Z",
  },
  {
    id: "drizzla",
    field: "#9fb4d6",
    pattern: "rain",
    body: "M52.2 19c5.1.4 9.2 4.7 9.2 10c0 1.2-.2 2.3-.6 3.4c.1.6.2 1.2.2 1.8c0 4.9-3.9 8.8-8.8 8.8h-2l-1.6 3h5.4l-13 16l3.6-11.6h-6.2l2.4-7.4h-17.6l2.4 7.4h-6.2l3.6 11.6l-13-16h5.4l-1.6-3h-1.8c-4.9 0-8.8-3.9-8.8-8.8c0-.7.1-1.4.3-2.1c-.5-1.2-.7-2.4-.7-3.7c0-5.5 4.2-10 9.6-10.6c-.1-.4-.1-.8-.1-1.3c0-6.7 5.5-12.2 12.2-12.2c3.5 0 6.6 1.4 8.8 3.8c1.9-1.1 4-1.7 6.3-1.7c7 0 12.6 5.6 12.6 12.6ZM32 46.6c1.8 3.4 3.6 5.4 3.6 8c0 2.2-1.6 3.8-3.6 3.8c-2 0-3.6-1.6-3.6-3.8c0-2.6 1.8-4.6 3.6-8Z",
    marks:
      "M17.6 33.6h28.8l-2 5.8l-3.2-3.8l-3.2 4.6l-3-4.6l-3 5l-3-5l-3 4.6l-3.2-4.6l-3.2 3.8ZM18.6 19.4l11 5.2c-.6 4.4-3.6 6.4-6.6 5.4c-3.6-1.2-5.2-6-4.4-10.6ZM45.4 19.4c.8 4.6-.8 9.4-4.4 10.6c-3 1-6-1-6.6-5.4ZM37.2 25.4c0 1.1.9 2 2 2c1.1 0 2-.9 2-2c0-1.1-.9-2-2-2c-1.1 0-2 .9-2 2ZM26.8 25.4c0-1.1-.9-2-2-2c-1.1 0-2 .9-2 2c0 1.1.9 2 2 2c1.1 0 2-.9 2-2Z",
  },
] as const satisfies readonly Monster[];

export type MonsterId = (typeof MONSTERS)[number]["id"];

/** Return the monster of this art id; undefined for an unknown id (a seat without a monster yet). */
export function monsterOf(id: string): Monster | undefined {
  return MONSTERS.find((monster) => monster.id === id);
}

interface PatternArt {
  readonly width: number;
  readonly height: number;
  readonly turn?: number;
  /** Filled shapes, or … */
  readonly fill?: string;
  /** … lines of this width. */
  readonly line?: string;
  readonly thick?: number;
}

const PATTERNS: Record<PatternName, PatternArt> = {
  stripes: { width: 7, height: 7, turn: 45, fill: "M0 0H3.4V7H0Z" },
  bricks: { width: 12, height: 8, line: "M0 .6H12M0 4.6H12M3 .6V4.6M9 4.6V8.6M9 -.1V.6", thick: 1 },
  rings: {
    width: 15,
    height: 15,
    line: "M12.3 7.5A4.8 4.8 0 1 1 2.7 7.5A4.8 4.8 0 1 1 12.3 7.5ZM8.4 7.5A.9 .9 0 1 1 6.6 7.5A.9 .9 0 1 1 8.4 7.5Z",
    thick: 1.5,
  },
  dots: {
    width: 9,
    height: 9,
    fill: "M4 2.2A1.7 1.7 0 1 1 .6 2.2A1.7 1.7 0 1 1 4 2.2ZM8.5 6.7A1.7 1.7 0 1 1 5.1 6.7A1.7 1.7 0 1 1 8.5 6.7Z",
  },
  waves: {
    width: 12,
    height: 8,
    line: "M-.5 5.8C1.8 5.8 3 2.2 6 2.2S10.2 5.8 12.5 5.8",
    thick: 1.5,
  },
  ticks: { width: 9, height: 11, line: "M2.2 .8V5M6.7 6.3V10.5", thick: 1.3 },
  checks: { width: 12, height: 12, fill: "M0 0H6V6H0ZM6 6H12V12H6Z" },
  arcs: {
    width: 13,
    height: 13,
    line: "M.6 6.5A5.9 5.9 0 0 1 12.4 6.5M3.7 6.5A2.8 2.8 0 0 1 9.3 6.5M-5.9 13A5.9 5.9 0 0 1 5.9 13M7.1 13A5.9 5.9 0 0 1 18.9 13M-2.8 13A2.8 2.8 0 0 1 2.8 13M10.2 13A2.8 2.8 0 0 1 15.8 13",
    thick: 1.2,
  },
  curls: {
    width: 14,
    height: 14,
    line: "M10.6 7A3.6 3.6 0 1 0 6.4 10.5M8.4 7.3A1.4 1.4 0 1 0 6.6 8.4",
    thick: 1.4,
  },
  lattice: { width: 9, height: 9, line: "M-1 -1L10 10M10 -1L-1 10", thick: 1.1 },
  fur: { width: 9, height: 10, line: "M.9 .6L2.6 4.6L4.3 .6M5.4 5.6L7.1 9.6L8.8 5.6", thick: 1.2 },
  rain: { width: 10, height: 12, line: "M3.8 .8L2 5.2M8.8 6.8L7 11.2", thick: 1.4 },
};

interface PatternDefProps {
  readonly id: string;
  readonly name: PatternName;
  readonly ink: string;
  /** How many drawing units one unit of the 64 grid is. */
  readonly scale?: number;
}

/** A `<pattern>` to fill with; goes into `<defs>`. */
export function PatternDef({ id, name, ink, scale = 1 }: PatternDefProps) {
  const art = PATTERNS[name];
  return (
    <pattern
      id={id}
      width={art.width}
      height={art.height}
      patternUnits="userSpaceOnUse"
      patternTransform={`scale(${scale}) rotate(${art.turn ?? 0})`}
    >
      {art.fill !== undefined && <path d={art.fill} fill={ink} />}
      {art.line !== undefined && (
        <path d={art.line} fill="none" stroke={ink} stroke-width={art.thick ?? 1} />
      )}
    </pattern>
  );
}

/** Smaller than this a pattern is only noise. */
const PATTERN_FROM = 22;
const LARGE_FROM = 100;

interface ShapeProps {
  readonly monster: Monster;
  readonly ink?: string | undefined;
  /** Colour of eyes and mouth; left out they are holes. */
  readonly marks?: string | undefined;
}

/** The silhouette alone, on its 64 grid, for drawings that place it themselves. */
export function MonsterShape({ monster, ink = INK, marks }: ShapeProps) {
  if (marks === undefined)
    return <path fill={ink} fill-rule="evenodd" d={monster.body + monster.marks} />;
  return (
    <>
      <path fill={ink} fill-rule="evenodd" d={monster.body} />
      <path fill={marks} fill-rule="evenodd" d={monster.marks} />
    </>
  );
}

/** Three claw marks over a 64 grid; `styles/shared.css` lets them scratch across once. */
function Claws() {
  return (
    <g class="claws" fill={RED} stroke={PAPER} stroke-width="1.1" stroke-linejoin="round">
      <path d="M13 6C22 20 29 38 30.4 58C22 44 15 26 13 6Z" />
      <path d="M27 2C37 18 44.6 38 46 61C36.6 45 29.4 25 27 2Z" />
      <path d="M43 1C51 14 58 33 59.4 56C51 42 44.6 22 43 1Z" />
    </g>
  );
}

type TileProps = Readonly<{ monster: string; size: number; out?: boolean }>;

/**
 * A monster on its square tile, as decoration: the name is always beside it. An empty, dashed square if no monster has
 * this id.
 */
export function MonsterTile(props: TileProps) {
  return (
    <svg class="tile" viewBox="0 0 64 64" width={props.size} height={props.size} aria-hidden="true">
      <TilePicture {...props} />
    </svg>
  );
}

/** The content of a tile, on a 64 grid; `size`, on the screen, decides corner and pattern. */
export function TilePicture({ monster: id, size, out = false }: TileProps) {
  const pattern = `${useId()}-${id}`;
  const monster = monsterOf(id);
  const corner = size >= LARGE_FROM ? 64 * 0.12 : Math.min((64 * 5) / size, 14);
  if (monster === undefined) return <EmptyTile corner={corner} />;
  const field = out ? GREY_DIM : monster.field;
  return (
    <>
      <rect width="64" height="64" rx={corner} fill={field} />
      {size >= PATTERN_FROM && (
        <>
          <defs>
            <PatternDef id={pattern} name={monster.pattern} ink={INK} />
          </defs>
          <rect width="64" height="64" rx={corner} fill={`url(#${pattern})`} opacity={0.24} />
        </>
      )}
      <MonsterShape monster={monster} marks={field} />
    </>
  );
}

function EmptyTile({ corner }: { readonly corner: number }) {
  return (
    <rect
      x="1.5"
      y="1.5"
      width="61"
      height="61"
      rx={corner}
      fill="none"
      stroke="currentColor"
      stroke-width="3"
      stroke-dasharray="8 6"
    />
  );
}

export type PosterState = "mine" | "buy" | "hit" | "won" | "stale" | "out";

/** The 64 grid's position on the 390 × 328 poster, and the crown's on the grid. */
interface Frame {
  readonly x: number;
  readonly y: number;
  readonly scale: number;
  readonly crown: readonly [x: number, y: number];
}

const PLAIN: Frame = { x: 140, y: 64, scale: 4.1, crown: [32, 5] };

const FRAMES: Record<MonsterId, Frame> = {
  puffin_rex: { x: 122, y: 56, scale: 4.4, crown: [34, 7] },
  old_scree: { x: 148, y: 74, scale: 4.2, crown: [32, 4.5] },
  lampmoth: { x: 152, y: 62, scale: 3.75, crown: [32, 14] },
  inkwell: { x: 150, y: 62, scale: 4.05, crown: [32, 6] },
  kelp_auntie: { x: 140, y: 72, scale: 4.2, crown: [32, 5] },
  spinella: { x: 140, y: 66, scale: 4.3, crown: [32, 6] },
  crabminster: { x: 144, y: 62, scale: 4, crown: [32, 10] },
  snailquake: { x: 142, y: 76, scale: 3.9, crown: [26, 15] },
  wispwool: { x: 140, y: 78, scale: 4.2, crown: [32, 9] },
  pylonna: { x: 140, y: 68, scale: 4.3, crown: [32, 5] },
  tuskadon: { x: 138, y: 76, scale: 4.2, crown: [32, 6] },
  drizzla: { x: 158, y: 70, scale: 3.8, crown: [32, 8] },
};

/** A crown on the Monster's head, on its 64 grid. */
function Crown({ frame: { crown } }: { readonly frame: Frame }) {
  const place = `translate(${crown[0] - 8} ${crown[1] - 13.4}) scale(.667)`;
  return (
    <g transform={place} fill={GOLD} stroke={INK} stroke-width="1">
      <SignShape name="crown" />
    </g>
  );
}

/** Rays around a point, as a path: the light that a winner stands in. */
const RAYS = Array.from({ length: 18 }, (_, n) => {
  const edge = (by: number) =>
    [Math.cos(n / 2.865 + by), Math.sin(n / 2.865 + by)].map((part) => Math.round(part * 900));
  return `M0 0L${edge(-0.08)}L${edge(0.08)}Z`;
}).join("");

function Rays({ x, y }: { readonly x: number; readonly y: number }) {
  return <path transform={`translate(${x} ${y})`} d={RAYS} fill={GOLD} opacity={0.55} />;
}

const FAR =
  "0 46 256, 50 44 210, 112 30 270, 135 32 211, 147 6 199, 167 24 224, 330 26 232, 352 30 262, 376 14 278";

const NEAR =
  "0 24 284, 22 34 306, 35 6 294, 53 24 300, 74 33 289, 87 6 276, 109 17 284, 124 32 294, 137 6 282, 154 30 302, 180 26 308, 204 30 299, 216 4 288, 232 26 309, 256 28 296, 282 30 290, 293 6 278, 310 26 306, 334 34 312, 352 5 302, 366 26 307";

export interface PosterArtProps {
  /** Art id; an unknown one has a grey field and no figure. */
  readonly monster: string;
  readonly state: PosterState;
}

/**
 * The head of a screen as a monster-movie poster, without its words: a picture, so the same in every theme.
 * It fills its box, cut at the left and the top if the box has another shape. Words stand in its left half.
 */
export function PosterArt({ monster: id, state }: PosterArtProps) {
  const monster = monsterOf(id);
  // A moment over the page has a tree of its own, whose ids are those of the page again.
  const pattern = `${useId()}-poster-${monster?.pattern}`;
  const faded = state === "stale" || state === "out";
  const field = faded || monster === undefined ? GREY : monster.field;
  return (
    <svg class="fill" viewBox="0 0 390 328" preserveAspectRatio="xMaxYMax slice" aria-hidden="true">
      <rect width="390" height="328" fill={field} />
      {monster !== undefined && (
        <>
          <defs>
            <PatternDef id={pattern} name={monster.pattern} ink={INK} scale={2.6} />
          </defs>
          <rect width="390" height="328" fill={`url(#${pattern})`} opacity={0.14} />
        </>
      )}
      <g class="poster-scene">
        {state === "won" && <Rays x={272} y={186} />}
        <circle cx="272" cy="186" r="130" fill={PAPER} opacity={0.45} />
        <g opacity={0.16}>
          <Towers towers={FAR} base={328} fill={INK} />
        </g>
        {monster !== undefined && <Figure monster={monster} field={field} state={state} />}
        <path d="M0 320H390V328H0Z" fill={INK} />
        <Towers towers={NEAR} base={328} fill={INK} lit={state === "stale" ? 0 : 7} />
      </g>
    </svg>
  );
}

type FigureProps = Readonly<{ monster: Monster; field: string; state: PosterState }>;

function Figure({ monster, field, state }: FigureProps) {
  const frame = FRAMES[monster.id as MonsterId] ?? PLAIN;
  return (
    <g transform={`translate(${frame.x} ${frame.y}) scale(${frame.scale})`}>
      <MonsterShape monster={monster} marks={field} />
      {state === "hit" && <Claws />}
      {state === "won" && <Crown frame={frame} />}
      {state === "out" && (
        <g transform="translate(20 24)" fill={PAPER} stroke={INK} stroke-width="0.8">
          <SignShape name="skull" />
        </g>
      )}
    </g>
  );
}

export type StandeeState = "rest" | "turn" | "asked";

export interface StandeeProps {
  /** Art id of the monster. */
  readonly id: string;
  /** The position of its foot, in units of the map. */
  readonly x: number;
  readonly y: number;
  /** Edge of the tile. */
  readonly size: number;
  readonly state: StandeeState;
}

/** A monster's tile on a cardboard stand. It hops when its place changes. */
export function Standee({ id, x, y, size, state }: StandeeProps) {
  const unit = size / 64;
  const frame = state === "rest" ? INK : state === "turn" ? PAPER : GOLD;
  // A property of the element's style object, which a strict content policy allows; an attribute could not hop.
  const place = { transform: `translate(${x}px, ${y}px)` };
  return (
    <g class="standee" style={place}>
      <g transform={`scale(${unit})`}>
        <ellipse cx="0" cy="-2" rx="36" ry="8.5" fill="#000000" opacity={0.5} />
        <path
          d="M-22 -12H22L29 0H-29Z"
          fill={PAPER}
          stroke={INK}
          stroke-width="2"
          stroke-linejoin="round"
        />
        <g transform="translate(-32 -78)">
          <rect x="-4.5" y="-4.5" width="73" height="73" rx="13" fill={frame} />
          <TilePicture monster={id} size={size} />
          {state === "asked" && (
            <rect
              x="-2.5"
              y="-2.5"
              width="69"
              height="69"
              rx="11"
              fill="none"
              stroke={INK}
              stroke-width="4"
              stroke-dasharray="8 8"
            />
          )}
        </g>
      </g>
    </g>
  );
}

export interface WinnerProps {
  readonly id: string;
  readonly width: number;
  readonly height: number;
  /** Where the silhouette's 64 grid begins, and its scale. */
  readonly x: number;
  readonly y: number;
  readonly scale: number;
}

/** The shapes alone, for a drawing that places them; nothing if no monster has this id. */
export function Winner({ id, width, height, x, y, scale }: WinnerProps) {
  const pattern = `${useId()}-winner`;
  const monster = monsterOf(id);
  if (monster === undefined) return null;
  return (
    <>
      <defs>
        <PatternDef id={pattern} name={monster.pattern} ink={INK} scale={scale / 2} />
      </defs>
      <rect width={width} height={height} fill={monster.field} />
      <rect width={width} height={height} fill={`url(#${pattern})`} opacity={0.14} />
      <Rays x={x + 32.6 * scale} y={y + 19.6 * scale} />
      <circle
        cx={x + 32.6 * scale}
        cy={y + 19.6 * scale}
        r={34 * scale}
        fill={PAPER}
        opacity={0.45}
      />
      <g transform={`translate(${x} ${y}) scale(${scale})`}>
        <MonsterShape monster={monster} marks={monster.field} />
        <Crown frame={FRAMES[id as MonsterId] ?? PLAIN} />
      </g>
    </>
  );
}
