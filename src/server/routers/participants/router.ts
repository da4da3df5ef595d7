import { router } from '@/server/trpc';
import { exportCsv } from './csv/export';
import { importCommit, importPreview, importTemplate } from './csv/import';
import { counts, ofProject } from './desk/counts';
import { desk, history, read } from './desk/desk';
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
} from './desk/management';
import { seedingRouter } from './desk/seeding';
import { list } from './list';
import { live } from './live';
import { form } from './registration/form';
import { myRegistrations } from './registration/my-registrations';
import { cancelMine, checkInMine, mine, register } from './registration/registration';
import { ofTeam } from './roster/of-team';
import { editMine, substitute } from './roster/roster';

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
