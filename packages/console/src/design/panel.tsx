import { type ReactElement, type ReactNode, useId } from 'react'
import { classNames } from './class-names.ts'

interface PanelProps {
  readonly title?: string
  readonly actions?: ReactNode
  readonly children: ReactNode
  /** Without padding, for tables and plots. */
  readonly isFlush?: boolean
  readonly className?: string
}

export function Panel({ title, actions, children, isFlush, className }: PanelProps): ReactElement {
  const id = useId()
  return (
    <section
      aria-labelledby={title === undefined ? undefined : id}
      className={classNames('bg-surface border-line rounded-panel min-w-0 border', className)}
    >
      {title !== undefined && (
        <header className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2 px-4 pt-3 pb-2">
          <h2 id={id} className="text-part font-semibold">
            {title}
          </h2>
          {actions}
        </header>
      )}
      <div className={isFlush === true ? '' : 'px-4 pt-1 pb-4'}>{children}</div>
    </section>
  )
}
