import { Skeleton, SkeletonTable } from '@/components/ui/page/skeleton';

export default function Loading() {
  return (
    <div className="grid grid-cols-1 gap-8">
      <Skeleton className="h-9 w-64" />
      <SkeletonTable />
    </div>
  );
}
