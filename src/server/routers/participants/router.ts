import { router } from '@/server/trpc';
import { counts, ofProject } from './counts';
import { desk, history, read } from './desk';
import { exportCsv } from './export';
import { form } from './form';
import { importCommit, importPreview, importTemplate } from './import';
import { list } from './list';
import { live } from './live';
import {
  approve,
  bulk,
  checkIn,
  disqualify,
  markNoShows,
  promote,
  reinstate,
  reject,
  remove,
  waitlist,
} from './management';
import { myRegistrations } from './my-registrations';
import { ofTeam } from './of-team';
import { cancelMine, checkInMine, mine, register } from './registration';
import { editMine, substitute } from './roster';
import { seedingRouter } from './seeding';

export const participantsRouter = router({
  register,
  list,
  desk,
  read,
  history,
  form,
  mine,
  cancelMine,
  editMine,
  checkInMine,
  checkIn,
  approve,
  reject,
  waitlist,
  promote,
  remove,
  disqualify,
  reinstate,
  substitute,
  bulk,
  markNoShows,
  exportCsv,
  importPreview,
  importCommit,
  importTemplate,
  myRegistrations,
  live,
  counts,
  ofProject,
  ofTeam,
  seeding: seedingRouter,
});
