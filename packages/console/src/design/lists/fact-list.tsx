import type { ReactElement, ReactNode } from 'react'
import { classNames } from '../class-names.ts'

interface FactListProps {
  readonly facts: readonly (readonly [name: string, value: ReactNode])[]
  /** Two columns on wide screens. */
  readonly isWide?: boolean
}

/** Omits facts without a value. */
export function FactList({ facts, isWide = false }: FactListProps): ReactElement {
  return (
    <dl
      className={classNames(
        'text-dense grid grid-cols-[minmax(7rem,auto)_1fr] items-baseline gap-x-4 gap-y-1.5',
        isWide && 'lg:grid-cols-[7rem_1fr_7rem_1fr]',
      )}
    >
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
