import type { Attachment, Fault } from "../wire/types";

type Upload = {
  readonly done: Promise<Attachment | Fault>;
  /** Calls it off; `done` then never comes. */
  readonly stop: () => void;
};

function isAttachment(value: unknown): value is Attachment {
  return typeof value === "object" && value !== null && "sha256" in value && "media" in value;
}

function isProblem(value: unknown): value is { readonly code: string; readonly detail: string } {
  return typeof value === "object" && value !== null && "code" in value && "detail" in value;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** Sends a file of a prompt to the server; only this kind of request tells how far it has come. */
export function upload(chat: string, file: File, onShare: (share: number) => void): Upload {
  const request = new XMLHttpRequest();
  const done = new Promise<Attachment | Fault>((resolve) => {
    request.upload.onprogress = (event) => {
      if (event.lengthComputable) onShare(event.loaded / event.total);
    };
    request.onerror = () => resolve({ code: "unavailable", message: "" });
    request.onload = () => {
      const answer = parsed(request.responseText);
      if (request.status < 300 && isAttachment(answer)) resolve(answer);
      else if (isProblem(answer)) resolve({ code: answer.code, message: answer.detail });
      else resolve({ code: request.status === 413 ? "too_large" : "internal", message: "" });
    };
  });
  request.open("POST", `/api/chats/${chat}/attachments?name=${encodeURIComponent(file.name)}`);
  request.setRequestHeader("Content-Type", file.type === "" ? "application/octet-stream" : file.type);
  request.send(file);
  return { done, stop: () => request.abort() };
}
