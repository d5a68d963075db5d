import { useLayoutEffect, useRef, useState } from "react";

/**
 * A text that may grow while somebody selects in it: what is added is added to the text that is there, so
 * that a selection stays where it is. A text that was whole from the start needs no element for it.
 */
export function GrowingText({ value, growing }: { value: string; growing: boolean }) {
  const [grows] = useState(growing);
  return grows ? <Grown value={value} /> : value;
}

function Grown({ value }: { value: string }) {
  const place = useRef<HTMLSpanElement>(null);
  useLayoutEffect(() => {
    const span = place.current;
    if (span === null) return;
    const text = span.firstChild;
    if (!(text instanceof Text)) span.textContent = value;
    else if (value.startsWith(text.data)) text.appendData(value.slice(text.data.length));
    else text.data = value;
  }, [value]);
  return <span ref={place} />;
}
