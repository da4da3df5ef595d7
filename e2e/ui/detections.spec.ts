import { createHash } from 'node:crypto';
import { integrator, raiseDetections } from '../detections';
import { expect, newName, test } from '../fixtures';
import { readMatches, startTournament } from '../played';

/** A picture of 16 by 16. */
const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAABAAAAAQCAIAAACQkWg2AAAAFklEQVR4nGNgaPhPGhrVMKphVANZGgDvvX6CHXKXLgAAAABJRU5ErkJggg==',
  'base64',
);

test('a queue of three is reviewed with the keyboard, with its evidence, up to a disqualification', async ({
  open,
  rest,
  demo,
}) => {
  test.slow();
  const cup = await startTournament(rest, demo.project, { name: newName('Fair Cup') }, 2);
  const [match] = await readMatches(rest, cup.id);
  // The oldest is the last in the queue: the one that is confirmed is about a player of the match.
  const first = await raiseDetections({ demo, rest }, ['player1@demo.test'], { matchId: match?.id });
  const { sessionId } = await raiseDetections({ demo, rest }, ['player2@demo.test', 'player3@demo.test'], {
    matchId: match?.id,
  });
  expect(first.detections).toHaveLength(1);

  const server = await integrator(demo);
  const granted = await server<{ uploadUrl: string; requiredHeaders: Record<string, string> }>(
    'POST',
    '/anti-cheat/evidence/presign',
    {
      ...{ sessionId, kind: 'screenshot', contentType: 'image/png', sizeBytes: png.length },
      sha256: createHash('sha256').update(png).digest('hex'),
    },
  );
  const { uploadUrl, requiredHeaders } = granted.body;
  expect((await fetch(uploadUrl, { method: 'PUT', headers: requiredHeaders, body: png })).status).toBe(200);

  const desk = await open('moderator@demo.test', `/dashboard/demo/anti-cheat?match=${match?.id}`);
  const rows = desk.getByRole('list', { name: 'Detections' }).getByRole('link');
  await expect(rows).toHaveCount(3);
  const shown = desk.getByRole('article');
  await expect(shown.getByText('Running beside the game: xenos64.exe.')).toBeVisible();
  await expect(shown.getByText('No AI verdict was recorded.')).toBeVisible();
  await expect(shown.getByRole('slider', { name: 'Programs reported' })).toBeVisible();

  // The store tells when the file has arrived, a moment later.
  await expect(async () => {
    await desk.reload();
    await expect(shown.getByRole('button', { name: 'View screenshot, image/png' })).toBeVisible({ timeout: 2_000 });
  }).toPass();
  await shown.getByRole('button', { name: 'View screenshot, image/png' }).click();
  const viewer = desk.getByRole('dialog', { name: 'Screenshot' });
  const picture = viewer.getByRole('img', { name: 'Screenshot' });
  await expect.poll(() => picture.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBe(16);
  await desk.keyboard.press('Escape');
  await expect(viewer).toBeHidden();

  // Another moderator's page follows.
  const other = await open('owner@demo.test', `/dashboard/demo/anti-cheat?match=${match?.id}`);
  const otherRows = other.getByRole('list', { name: 'Detections' }).getByRole('link');
  await expect(otherRows).toHaveCount(3);

  await desk.keyboard.press('j');
  await expect(rows.nth(1)).toBeFocused();
  await expect(rows.nth(1)).toHaveAttribute('aria-current', 'true');
  await desk.keyboard.press('ArrowUp');
  await expect(rows.nth(0)).toBeFocused();
  await desk.keyboard.press('d');
  await expect(rows).toHaveCount(2);
  await expect(rows.nth(0)).toBeFocused();
  await expect(otherRows).toHaveCount(2);
  await desk.keyboard.press('u');
  await expect(rows).toHaveCount(3);
  await desk.keyboard.press('k');
  await expect(rows.nth(0)).toBeFocused();
  await desk.keyboard.press('i');
  await expect(rows).toHaveCount(2);
  await desk.keyboard.press('d');
  await expect(rows).toHaveCount(1);
  await expect(shown.getByLabel('Note')).toBeVisible();
  await desk.keyboard.press('n');
  await expect(shown.getByLabel('Note')).toBeFocused();
  await desk.keyboard.type('Seen on the recording.');
  await desk.keyboard.press('Escape');
  await desk.keyboard.press('c');
  await expect(desk.getByRole('heading', { name: 'No matching detections' })).toBeVisible();

  await desk.getByRole('combobox', { name: 'Status' }).click();
  await desk.getByRole('option', { name: 'Confirmed' }).click();
  await expect(rows).toHaveCount(1);
  await expect(shown.getByLabel('Note')).toHaveValue('Seen on the recording.');
  const panel = shown.getByRole('region', { name: 'Disqualification' });
  await panel.getByRole('button', { name: 'Disqualify' }).click();
  const dialog = desk.getByRole('dialog', { name: /^Disqualify / });
  await expect(dialog.getByLabel('Which rule did they break?')).toHaveValue(
    `Anti-cheat: blocked program in M${match?.number}, confirmed by staff.`,
  );
  await dialog.getByRole('button', { name: 'Disqualify' }).click();
  await expect(panel.getByText('Disqualified')).toBeVisible();
  await panel.getByRole('link', { name: cup.name }).click();
  await expect(desk.getByRole('heading', { name: cup.name })).toBeVisible();
});

test('on a phone a detection has a page of its own, and players do not see it', async ({ open, rest, demo }) => {
  const { detections } = await raiseDetections({ demo, rest }, ['player4@demo.test']);
  const player = detections[0]?.userId;
  const phone = await open('moderator@demo.test', `/dashboard/demo/anti-cheat?player=${player}`, {
    viewport: { width: 390, height: 844 },
  });
  await phone.getByRole('list', { name: 'Detections' }).getByRole('link').first().click();
  await expect(phone.getByRole('heading', { level: 1, name: 'Blocked program' })).toBeVisible();
  await phone.getByRole('button', { name: 'Dismiss' }).click();
  await expect(phone.getByText(/^Dismissed by/)).toBeVisible();

  const stranger = await open('player4@demo.test', '/dashboard/demo/anti-cheat');
  await expect(stranger.getByRole('list', { name: 'Detections' })).toHaveCount(0);
});
