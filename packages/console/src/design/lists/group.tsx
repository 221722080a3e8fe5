import type { ReactElement, ReactNode } from 'react'

interface GroupProps {
  readonly title: string
  readonly count: number
  readonly isOpen?: boolean
  readonly children: ReactNode
}

/** A part of a list that the user can expand and collapse. */
export function Group({ title, count, isOpen = false, children }: GroupProps): ReactElement {
  return (
    <details open={isOpen} className="border-line border-t">
      <summary className="px-4 py-3 font-semibold">
        <h3 className="inline">{title}</h3>{' '}
        <span className="text-ink-faint font-normal">{count}</span>
      </summary>
      {children}
    </details>
  )
}
