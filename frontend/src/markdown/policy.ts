const linkSchemes = new Set(["http:", "https:", "mailto:"]);
const pictures = /^data:image\/(?:png|jpeg|gif|webp|avif);base64,[A-Za-z0-9+/=\s]+$/;
const blob = /^\/api\/chats\/c_[0-9A-HJKMNP-TV-Z]{26}\/blobs\/[0-9a-f]{64}$/;

/** The address that a link from an agent may lead to, or null: then its words stand alone. */
export function safeLink(url: string): string | null {
  // A relative address would lead into this application, with the reader's rights.
  if (!URL.canParse(url)) return null;
  const parsed = new URL(url);
  return linkSchemes.has(parsed.protocol) ? parsed.href : null;
}

/**
 * The address of a picture that may be loaded, or null. Anything from elsewhere would tell its server
 * what is being read.
 */
export function safeImage(url: string, chatId: string): string | null {
  if (pictures.test(url)) return url;
  return blob.test(url) && url.startsWith(`/api/chats/${chatId}/`) ? url : null;
}
