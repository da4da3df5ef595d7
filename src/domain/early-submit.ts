/**
 * Runs in the head of every page: notes that a form was submitted before React runs, for `Form` to submit it then.
 * `Form` marks its element as ready.
 */
export const earlySubmitScript = `addEventListener('submit',function(e){var f=e.target;if(f.method==='post'&&f.dataset.state!=='ready'){e.preventDefault();f.dataset.state='submitted'}},true)`;
