import { router } from '@/server/trpc';
import { exportCsv } from './csv/export';
import { importCommit, importPreview, importTemplate } from './csv/import';
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
  withdraw,
} from './desk/actions';
import { counts, ofProject } from './desk/counts';
import { desk } from './desk/desk';
import { history, read } from './desk/participant';
import { seedingRouter } from './desk/seeding';
import { claims } from './guests/claims';
import { addGuests, editGuest } from './guests/guests';
import { list } from './list';
import { live } from './live';
import { form } from './registration/form';
import { cancelMine, checkInMine, editMine, mine } from './registration/my-registration';
import { myRegistrationSummaries, myRegistrations } from './registration/my-registrations';
import { register } from './registration/register';
import { ofTeam } from './registration/team-tournaments';
import { acceptMine, leaveMine } from './roster/acceptance';
import { substitute } from './roster/substitution';

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
  acceptMine,
  leaveMine,
  checkIn,
  approve,
  reject,
  waitlist,
  promote,
  remove,
  disqualify,
  reinstate,
  withdraw,
  substitute,
  bulk,
  markNoShows,
  exportCsv,
  importPreview,
  importCommit,
  importTemplate,
  myRegistrations,
  myRegistrationSummaries,
  live,
  counts,
  ofProject,
  ofTeam,
  addGuests,
  editGuest,
  claims,
  seeding: seedingRouter,
});
