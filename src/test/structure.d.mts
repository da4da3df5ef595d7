export function breaches(files: Map<string, string>, options?: { banned?: string[] }): string[];
