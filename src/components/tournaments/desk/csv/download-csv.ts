import { downloadFile } from '@/components/ui/download-file';

/** Downloads a CSV text as a file. */
export function downloadCsv(name: string, csv: string): void {
  // The byte order mark tells spreadsheets that the file is UTF-8.
  downloadFile(name, ['\uFEFF', csv], 'text/csv;charset=utf-8');
}
