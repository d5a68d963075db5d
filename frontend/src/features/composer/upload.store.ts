import { create } from "zustand";
import { upload } from "../../api/upload";
import { t } from "../../messages/t";
import { draftOf, useDrafts } from "./draft.store";

/** The most that one file may have, in bytes, and how many one prompt may have. */
const mostFileBytes = 20 * 1024 * 1024;
const mostFiles = 20;

/** A file on its way to the server, or one that did not get there. */
export type UploadItem = {
  readonly id: number;
  readonly file: File;
  /** How much of it has gone, between 0 and 1. */
  readonly share: number;
  /** Why it was not taken; empty while it is on its way. */
  readonly fault: string;
  readonly stop: () => void;
};

type Uploads = {
  readonly uploads: Readonly<Record<string, readonly UploadItem[]>>;
  readonly add: (key: string, files: readonly File[]) => void;
  readonly drop: (key: string, id: number) => void;
  readonly again: (key: string, id: number) => void;
};

let ids = 0;

/** Why a file cannot be sent along at all, or "". */
export function unfit(file: Pick<File, "size">, others: number): string {
  if (others >= mostFiles) return t("attach.many", { n: mostFiles });
  if (file.size > mostFileBytes) return t("attach.large");
  return file.size === 0 ? t("attach.empty") : "";
}

/** The files that are on their way, by draft. What has arrived is part of the draft. */
export const useUploads = create<Uploads>((set, get) => {
  const items = (key: string) => get().uploads[key] ?? [];
  const put = (key: string, next: readonly UploadItem[]) =>
    set({ uploads: { ...get().uploads, [key]: next } });
  const patch = (key: string, id: number, part: Partial<UploadItem>) =>
    put(
      key,
      items(key).map((item) => (item.id === id ? { ...item, ...part } : item)),
    );
  const begin = (key: string, id: number, file: File) => {
    const going = upload(key, file, (share) => patch(key, id, { share }));
    patch(key, id, { stop: going.stop, share: 0, fault: "" });
    void going.done.then((answer) => {
      if (!items(key).some((item) => item.id === id)) return;
      if ("code" in answer) {
        patch(key, id, { fault: answer.message === "" ? t("attach.failed") : answer.message });
        return;
      }
      put(
        key,
        items(key).filter((item) => item.id !== id),
      );
      const { attachments } = draftOf(key);
      if (!attachments.some((a) => a.sha256 === answer.sha256))
        useDrafts.getState().attach(key, [...attachments, answer]);
    });
  };
  return {
    uploads: {},
    add: (key, files) => {
      for (const file of files) {
        const fault = unfit(file, items(key).length + draftOf(key).attachments.length);
        ids += 1;
        const id = ids;
        put(key, [...items(key), { id, file, share: 0, fault, stop: () => undefined }]);
        if (fault === "") begin(key, id, file);
      }
    },
    drop: (key, id) => {
      const item = items(key).find((other) => other.id === id);
      put(
        key,
        items(key).filter((other) => other !== item),
      );
      item?.stop();
    },
    again: (key, id) => {
      const item = items(key).find((other) => other.id === id);
      if (item !== undefined && unfit(item.file, 0) === "") begin(key, id, item.file);
    },
  };
});
