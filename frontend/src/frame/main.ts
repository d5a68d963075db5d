import { type Draw, drawOf, type Told } from "./words";

/**
 * The page in a sandboxed frame that draws what agents write: it has no origin of its own, may load nothing
 * but its own scripts, and is told what to draw by the page around it.
 */

function tell(told: Told): void {
  // The page around is asked for by no name: it checks where this comes from.
  window.parent.postMessage(told, "*");
}

const place = document.getElementById("place");
let drawn = 0;

/** Tags in the words of a drawing keep nothing but their names: they would be refused anyway, loudly. */
const attributes = /<([a-z][a-z0-9]*)\s[^<>]*>/gi;

async function mermaidOf({ source, dark }: Draw): Promise<Element> {
  const { default: mermaid } = await import("mermaid");
  mermaid.initialize({
    startOnLoad: false,
    securityLevel: "strict",
    suppressErrorRendering: true,
    theme: dark ? "dark" : "neutral",
    fontFamily: "system-ui, sans-serif",
    maxTextSize: 50_000,
    maxEdges: 500,
    htmlLabels: false,
    flowchart: { htmlLabels: false },
    dompurifyConfig: {
      FORBID_TAGS: [
        "img",
        "image",
        "picture",
        "source",
        "video",
        "audio",
        "link",
        "iframe",
        "object",
        "embed",
      ],
      FORBID_ATTR: ["src", "srcset", "poster", "background"],
    },
    // What a drawing may not set for itself: its limits, and styles that would load something.
    secure: [
      "secure",
      "securityLevel",
      "startOnLoad",
      "suppressErrorRendering",
      "maxTextSize",
      "maxEdges",
      "themeCSS",
      "themeVariables",
      "fontFamily",
      "altFontFamily",
      "htmlLabels",
      "flowchart",
      "dompurifyConfig",
    ],
  });
  drawn += 1;
  const { svg } = await mermaid.render(`drawing-${drawn}`, source.replace(attributes, "<$1>"));
  const holder = document.createElement("template");
  holder.innerHTML = svg;
  const [root] = holder.content.children;
  if (root === undefined) throw new Error("nothing was drawn");
  return root;
}

/**
 * An SVG is shown as a picture: nothing in it runs, loads or can be pressed. It is not even parsed here, since
 * that alone makes the browser complain of what it may not run.
 */
function svgOf({ source }: Draw): Promise<Element> {
  const root = /<svg\b[^>]*>/.exec(source)?.[0];
  if (root === undefined) return Promise.reject(new Error("it is not an SVG"));
  const named = /\sxmlns\s*=/.test(root)
    ? source
    : source.replace("<svg", '<svg xmlns="http://www.w3.org/2000/svg"');
  const picture = new Image();
  picture.alt = /<title>([^<]*)<\/title>/.exec(source)?.[1] ?? "";
  return new Promise((resolve, reject) => {
    picture.addEventListener("load", () => resolve(picture));
    picture.addEventListener("error", () => reject(new Error("it is not an SVG that can be shown")));
    picture.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(named.trim())}`;
  });
}

async function draw(what: Draw): Promise<void> {
  if (place === null) return;
  try {
    const drawing = await (what.kind === "mermaid" ? mermaidOf(what) : svgOf(what));
    document.documentElement.style.colorScheme = what.dark ? "dark" : "light";
    place.replaceChildren(drawing);
    tell({ type: "size", height: Math.ceil(place.getBoundingClientRect().height) });
  } catch (error) {
    tell({ type: "fault", why: error instanceof Error ? error.message : String(error) });
  }
}

window.addEventListener("message", (message: MessageEvent<unknown>) => {
  const what = drawOf(message.data);
  if (message.source === window.parent && what !== null) void draw(what);
});
if (place !== null) {
  new ResizeObserver(() => {
    if (place.firstChild !== null)
      tell({ type: "size", height: Math.ceil(place.getBoundingClientRect().height) });
  }).observe(place);
}
tell({ type: "ready" });
