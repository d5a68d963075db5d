/** What docs/screens shows: a picture of the design, and the product in the same state. */
export type Picture = {
  /** Files of the design, the light one first. */
  readonly design: readonly string[];
  readonly title: string;
  /** Shots of the product, without theme and extension. */
  readonly shots: readonly string[];
  /** How the product differs, and why. */
  readonly note: string;
};

export const pictures: readonly Picture[] = [
  {
    design: ["01-chat-running-light.png", "01-chat-running-dark.png"],
    title: "01 A chat with a run that goes on",
    shots: ["01-chat-running"],
    note: "Projects, sharing and the terminal are not there yet.",
  },
  {
    design: ["03-approval-light.png"],
    title: "03 A permission",
    shots: ["03-approval"],
    note: "A row is there only where the agent's request carries it.",
  },
  {
    design: ["03b-question-multi-light.png"],
    title: "03b A question, any answers",
    shots: ["03b-question-multi"],
    note: "",
  },
  {
    design: ["03c-question-radio-light.png"],
    title: "03c A question, one answer",
    shots: ["03c-question-radio"],
    note: "",
  },
  {
    design: ["05-home-light.png"],
    title: "05 Home",
    shots: ["05-home"],
    note: "Projects are not there yet.",
  },
  {
    design: ["06-settings-providers-dark.png"],
    title: "06 Settings",
    shots: ["06-settings"],
    note: "Usage, beside what a person sets for themselves; providers and the doctor have no page yet.",
  },
  {
    design: ["08-mobile-chat-light.png", "08-mobile-chat-dark.png"],
    title: "08 A chat on a phone",
    shots: ["08-mobile-chat"],
    note: "",
  },
  {
    design: ["08-mobile-drawer-light.png", "08-mobile-drawer-dark.png"],
    title: "08 The drawer",
    shots: ["08-mobile-drawer"],
    note: "",
  },
  {
    design: ["08-mobile-approval-light.png", "08-mobile-approval-dark.png"],
    title: "08 A permission on a phone",
    shots: ["08-mobile-approval"],
    note: "The card as it stands in the chat; notifications are not there yet.",
  },
  {
    design: ["09-states-light.png", "09-states-dark.png"],
    title: "09 States",
    shots: [
      "09a-offline",
      "09b-replay",
      "09c-interrupted",
      "09d-error",
      "09e-rate-limit",
      "09f-other-first",
      "09g-updated",
      "09h-signed-out",
      "09i-loading",
    ],
    note: "A rate limit goes on by itself only for those who set that.",
  },
  {
    design: ["10-fork-hover-light.png"],
    title: "10 At a station, and the map",
    shots: ["10-fork-hover"],
    note: "The panel is named Forks. A rewind concerns the chat, not its files.",
  },
  {
    design: ["10b-rewind-confirm-light.png"],
    title: "10b A rewind is asked for",
    shots: ["10b-rewind-confirm"],
    note: "",
  },
  { design: ["11-tool-renderers-light.png"], title: "11 Steps", shots: ["11-tool-renderers"], note: "" },
  {
    design: ["12-palette-menus-light.png"],
    title: "12 Palette and menus",
    shots: ["12-palette", "12-modes", "12-models", "12-account"],
    note: "Sharing is not there yet, and no picture is taken of the skills.",
  },
];
