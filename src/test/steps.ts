type Method = (this: unknown, ...args: unknown[]) => unknown;

/** Has every call of a method go through another function, until the returned function is called. */
function replace(prototype: object, name: string, make: (original: Method) => Method): () => void {
  const descriptor = Object.getOwnPropertyDescriptor(prototype, name);
  if (!descriptor) throw new Error(`There is no ${name}`);
  Object.defineProperty(prototype, name, { ...descriptor, value: make(descriptor.value) });
  return () => Object.defineProperty(prototype, name, descriptor);
}

/** How many elements of arrays, maps and sets some work goes through, and how many it adds to sets or takes out. */
export async function countSteps(work: () => Promise<unknown>): Promise<number> {
  let steps = 0;
  const countCalls = (prototype: object, name: string) =>
    replace(
      prototype,
      name,
      (original) =>
        function count(...args) {
          steps += 1;
          return original.apply(this, args);
        },
    );
  const countElements = (name: string) =>
    replace(
      Array.prototype,
      name,
      (original) =>
        function count(each, ...args) {
          const counted: Method = (...element) => {
            steps += 1;
            return (each as Method)(...element);
          };
          return original.call(this, counted, ...args);
        },
    );
  const restore = [
    countCalls(Set.prototype, 'add'),
    countCalls(Set.prototype, 'delete'),
    countCalls(Object.getPrototypeOf(new Set().values()), 'next'),
    countCalls(Object.getPrototypeOf(new Map().values()), 'next'),
    ...['filter', 'findLastIndex', 'flatMap', 'map'].map(countElements),
  ];
  try {
    await work();
  } finally {
    for (const undo of restore) undo();
  }
  return steps;
}
