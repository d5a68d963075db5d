/** The mark of Signalbox: a line with a junction. */
export function Mark({ size = 20 }: { size?: number }) {
  return (
    <svg aria-hidden="true" width={size} height={size} viewBox="0 0 20 20">
      <rect width="20" height="20" rx="5" fill="var(--ink)" />
      <path
        d="M7 16.5V3.5M7 13c0-3.4 6-2.4 6-6.2"
        fill="none"
        stroke="var(--on-ink)"
        strokeWidth="1.6"
        strokeLinecap="round"
      />
      <circle cx="13" cy="5.6" r="2.1" fill="var(--on-ink)" />
    </svg>
  );
}
