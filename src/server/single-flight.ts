/**
 * Runs `make` once at a time, and gives the result to all who ask meanwhile, or within `keptMs` after it: anyone may, and it
 * takes connections to the database. What fails is not kept.
 */
export function singleFlight<Result>(make: () => Promise<Result>, keptMs = 0): () => Promise<Result> {
  let running: Promise<Result> | null = null;
  const forget = () => {
    running = null;
  };
  const run = async () => {
    try {
      const result = await make();
      if (keptMs > 0) setTimeout(forget, keptMs).unref();
      else forget();
      return result;
    } catch (error) {
      forget();
      throw error;
    }
  };
  return () => {
    running ??= run();
    return running;
  };
}
