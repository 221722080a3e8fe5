import type { ReactElement, ReactNode } from 'react'

/** Names with their values, one below the other. A value that is undefined is left out. */
export function FactList({
  facts,
}: {
  readonly facts: readonly (readonly [name: string, value: ReactNode])[]
}): ReactElement {
  return (
    <dl className="text-dense grid grid-cols-[minmax(7rem,auto)_1fr] gap-x-4 gap-y-1.5">
      {facts
        .filter(([, value]) => value !== undefined)
        .map(([name, value]) => (
          <div key={name} className="contents">
            <dt className="text-ink-faint">{name}</dt>
            <dd className="min-w-0">{value}</dd>
          </div>
        ))}
    </dl>
  )
}
