import { Suspense, useContext, useState } from "react";
import { t } from "../messages/t";
import { MarkdownChat } from "./context";
import { safeImage, safeLink } from "./policy";
import { fetched } from "../ui/fetched";

const Lightbox = fetched(() => import("../ui/Lightbox"));

/** A picture in a text: of this chat, or part of the text itself. One from elsewhere is a link and a word. */
export function Picture({ url, alt }: { url: string; alt: string }) {
  const src = safeImage(url, useContext(MarkdownChat));
  const [large, setLarge] = useState(false);
  const name = alt === "" ? t("image") : alt;
  if (src === null) return <Elsewhere url={url} name={name} />;
  return (
    <>
      <button
        type="button"
        aria-label={t("image.open", { name })}
        className="inline-block max-w-full cursor-zoom-in"
        onClick={() => setLarge(true)}
      >
        <img src={src} alt={alt} loading="lazy" />
      </button>
      {large ? (
        <Suspense fallback={null}>
          <Lightbox src={src} name={name} onClose={() => setLarge(false)} />
        </Suspense>
      ) : null}
    </>
  );
}

function Elsewhere({ url, name }: { url: string; name: string }) {
  const href = safeLink(url);
  return (
    <span>
      {href === null ? (
        <span title={url}>{name}</span>
      ) : (
        <a href={href} target="_blank" rel="noopener noreferrer nofollow">
          {name}
        </a>
      )}{" "}
      <span className="text-small text-ink-3">({t("image.elsewhere")})</span>
    </span>
  );
}
