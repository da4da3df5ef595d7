import { Prisma } from '@/generated/prisma/client';
import { SharedLookUps } from '@/server/auth/looked-up';
import { db, rowsOf } from '@/server/db';
import { onDomainEvent } from '@/server/events/live';
import { Batcher } from '@/server/jobs/embedded/batcher';

type Viewer = { tournamentId: string; userId: string | null };

const keyOf = ({ tournamentId, userId }: Viewer) => `${tournamentId} ${userId}`;

/**
 * Whether something is true of viewers of tournaments, which live streams ask before they write a notice. All streams ask at
 * once and share a statement, and those of a viewer share an answer for a second, or until a notice about the viewer.
 */
export class ViewerChecks {
  private readonly answers = new SharedLookUps<boolean>();
  private readonly asked: Batcher<Viewer, boolean>;
  private listening = false;

  /** @param findThose SELECT of the "place" of those for whom it is true, from their "place", "tournamentId" and "userId" */
  constructor(findThose: (viewers: Prisma.Sql) => Prisma.Sql) {
    this.asked = new Batcher(500, async (viewers) => {
      const json = JSON.stringify(viewers.map((viewer, place) => ({ place, ...viewer })));
      const table = Prisma.sql`json_to_recordset(${json}::json) AS a("place" int, "tournamentId" text, "userId" text)`;
      const rows = await rowsOf<{ place: number }>(db, findThose(table));
      const those = new Set(rows.map(({ place }) => place));
      return viewers.map((_, place) => those.has(place));
    });
  }

  isTrueOf(viewer: Viewer): Promise<boolean> {
    if (!this.listening) {
      onDomainEvent(({ tournamentId, userId }) => {
        if (tournamentId !== null && userId !== null) this.answers.forget(keyOf({ tournamentId, userId }));
      });
    }
    this.listening = true;
    return this.answers.find(keyOf(viewer), () => this.asked.add(viewer)).found;
  }
}
