/** How many lines were added and removed. */
export function Counts({ added, removed }: { added: number; removed: number }) {
  return (
    <span className="font-mono text-count whitespace-nowrap">
      <span className="text-clear">+{added}</span> <span className="text-stop">-{removed}</span>
    </span>
  );
}
