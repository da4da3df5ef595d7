/** A team's name, preceded by its tag. */
export function TeamName({ name, tag }: { name: string; tag: string | null }) {
  return (
    <>
      {tag ? (
        <>
          <span className="figure text-[0.85em] text-muted">
            <bdi>{tag}</bdi>
          </span>{' '}
        </>
      ) : null}
      <bdi>{name}</bdi>
    </>
  );
}
