import Image from 'next/image';

/** The picture above a tournament's name. Its place is reserved before it arrives. */
export function TournamentBanner({ url }: { url: string }) {
  return (
    <Image
      src={url}
      alt=""
      width={1152}
      height={288}
      preload
      className="mb-6 aspect-4/1 w-full rounded border object-cover max-sm:aspect-5/2"
    />
  );
}
