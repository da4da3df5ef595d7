import { blockOf } from '@/domain/network/address-ranges';
import { callerStore } from '@/server/http/caller-address';
import { BoundedCache } from '@/server/limits/bounded-cache';
import { drawLinkPreview, type LinkPreview } from '@/server/worker/link-preview';

type Image = Uint8Array<ArrayBuffer>;

/** Images by what they show: many ask for the same, and to draw one takes longer than to render a page. */
const images = new BoundedCache<Image>(200);
/** Those that are being drawn, each in the turn of a block of addresses: whoever asks from another one does not wait for that. */
const drawing = new Map<string, Promise<Image>>();

/**
 * The image that shows this when somebody shares a link, as a PNG of 1200 by 630 pixels.
 * @param projectId for which it is drawn, since projects take turns, and so do the networks that ask
 */
export async function linkPreview(projectId: string, shown: LinkPreview): Promise<Image> {
  const key = JSON.stringify(shown);
  const kept = images.get(key);
  if (kept) return kept;
  const ip = callerStore.getStore()?.ip;
  const ofBlock = `${ip ? blockOf(ip) : ''} ${key}`;
  const before = drawing.get(ofBlock);
  if (before) return before;
  const image = drawLinkPreview({ owner: `${projectId} previews`, from: ip ? { ip, use: 'read' } : undefined }, shown)
    .then(({ body }) => {
      images.put(key, { owner: projectId, size: 1, value: body });
      return body;
    })
    .finally(() => drawing.delete(ofBlock));
  drawing.set(ofBlock, image);
  return image;
}
