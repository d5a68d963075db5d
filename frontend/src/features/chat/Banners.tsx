import { useState } from "react";
import { restoreChat } from "../../api/chats";
import { t } from "../../messages/t";
import { Banner } from "../../ui/Banner";
import { Button } from "../../ui/Button";
import { useNow } from "../../ui/useNow";
import { sayFailed } from "../../ui/toast";
import { useWorkspace } from "../chats";
import { useChat, useChatState } from "./context";
import { useMayWrite } from "./useMayWrite";

/** A short loss is not worth a word. */
const patience = 2_000;

/** How the line to the server stands, when it is not as it should be. */
export function Banners({ onSignIn }: { onSignIn: () => void }) {
  const link = useChatState((s) => s.link);
  const replay = useChatState((s) => s.replay);
  const version = useChatState((s) => s.version);
  const [first, setFirst] = useState(version);
  if (first === "" && version !== "") setFirst(version);
  if (link.kind === "ended") return <Ended code={link.code} onSignIn={onSignIn} />;
  if (link.kind === "lost") return <Lost since={link.since} retryAt={link.retryAt} />;
  if (replay !== null) {
    return (
      <Banner
        tone="caution"
        signal="running"
        title={t("replay.title")}
        body={t("replay.body", { n: replay.total })}
        share={replay.total === 0 ? 1 : replay.done / replay.total}
      >
        <span className="font-mono text-count text-caution">
          {replay.done} / {replay.total}
        </span>
      </Banner>
    );
  }
  if (first !== "" && version !== first) {
    return (
      <Banner tone="accent" title={t("updated.title", { version })} body={t("updated.body")}>
        <Button onClick={() => location.reload()}>{t("reload")}</Button>
      </Banner>
    );
  }
  return null;
}

function Lost({ since, retryAt }: { since: number; retryAt: number }) {
  const { store } = useChat();
  const now = useNow(500);
  if (now - since < patience) return null;
  const wait = Math.max(0, Math.ceil((retryAt - now) / 1000));
  return (
    <Banner
      tone="stop"
      signal="failed"
      title={t("lost.title")}
      body={wait > 0 ? t("lost.body", { s: wait }) : t("lost.now")}
    >
      <Button onClick={() => store.tryNow()}>{t("lost.try")}</Button>
    </Banner>
  );
}

const signedOut = 4500;
const noAccess = 4501;
const deleted = 4502;

function Ended({ code, onSignIn }: { code: number; onSignIn: () => void }) {
  if (code === signedOut) {
    return (
      <Banner tone="stop" signal="needs" title={t("over.title")} body={t("over.body")}>
        <Button look="primary" onClick={onSignIn}>
          {t("signin.act")}
        </Button>
      </Banner>
    );
  }
  if (code === noAccess)
    return <Banner tone="stop" signal="failed" title={t("noaccess.title")} body={t("noaccess.body")} />;
  if (code === deleted) return <Deleted />;
  return (
    <Banner
      tone="stop"
      signal="failed"
      title={t("ended.title")}
      body={t("ended.body", { code: String(code) })}
    >
      <Button onClick={() => location.reload()}>{t("reload")}</Button>
    </Banner>
  );
}

function Deleted() {
  const { id } = useChat();
  const workspace = useWorkspace();
  const write = useMayWrite();
  const restore = () => {
    restoreChat(id).then(
      (chat) => workspace.put(chat),
      () => sayFailed(t("act.failed")),
    );
  };
  return (
    <Banner tone="stop" signal="failed" title={t("deleted.title")} body={t("deleted.body")}>
      {write ? <Button onClick={restore}>{t("trash.restore")}</Button> : null}
    </Banner>
  );
}
