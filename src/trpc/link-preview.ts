import { callerStore } from '@/server/http/caller-address';
import { drawLinkPreview, type LinkPreview } from '@/server/worker/link-preview';

type Drawn = ReturnType<typeof drawLinkPreview>;

/** Images by what they show: many ask for the same, and to draw one takes longer than to render a page. */
const images = new Map<string, Drawn>();
const maxImages = 200;

/**
 * The image that shows this when somebody shares a link, as a PNG of 1200 by 630 pixels.
 * @param projectId for which it is drawn, since projects take turns, and so do the networks that ask
 */
export async function linkPreview(projectId: string, shown: LinkPreview): Promise<Uint8Array<ArrayBuffer>> {
  const key = JSON.stringify(shown);
  let image = images.get(key);
  if (!image) {
    const ip = callerStore.getStore()?.ip;
    image = drawLinkPreview({ owner: `${projectId} previews`, from: ip ? { ip, use: 'read' } : undefined }, shown);
    image.catch(() => images.delete(key));
    const [oldest] = images.keys();
    if (oldest !== undefined && images.size >= maxImages) images.delete(oldest);
    images.set(key, image);
  }
  return (await image).body;
}
