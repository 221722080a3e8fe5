import type { ComponentProps, ReactElement, ReactNode } from 'react'
import { classNames } from '../class-names.ts'
import './table.css'

interface TableProps {
  readonly label: string
  readonly head: readonly ReactNode[]
  readonly children: ReactNode
}

/** Scrolls horizontally on narrow screens. `relative` keeps `sr-only` elements inside. */
export function Table({ label, head, children }: TableProps): ReactElement {
  return (
    <div
      className="table-scroller rounded-panel relative overflow-x-auto"
      tabIndex={0}
      role="region"
      aria-label={label}
    >
      <table className="text-dense w-full text-left">
        <thead>
          <tr className="border-line text-ink-faint text-note border-b">
            {head.map((title, index) => (
              <th key={index} scope="col" className="px-4 py-1.5 font-medium whitespace-nowrap">
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </div>
  )
}

interface RowProps extends ComponentProps<'tr'> {
  readonly isCurrent?: boolean
  /** Called for a click anywhere on the row, except on its controls or to select text. */
  readonly onOpen?: () => void
}

export function Row({ isCurrent = false, onOpen, className, ...rest }: RowProps): ReactElement {
  return (
    <tr
      aria-current={isCurrent || undefined}
      onClick={({ target, currentTarget }) => {
        // React also passes clicks in cards and dialogs that the row has opened elsewhere in the page.
        if (!(target instanceof Element && currentTarget.contains(target))) return
        const isControl = target.closest('a, button') !== null
        if (!isControl && getSelection()?.isCollapsed !== false) onOpen?.()
      }}
      className={classNames(
        'border-line hover:bg-hover border-b last:border-0',
        isCurrent && 'bg-accent-soft',
        onOpen && 'focus-within:bg-accent-soft cursor-pointer',
        className,
      )}
      {...rest}
    />
  )
}

export function Cell({ className, ...rest }: ComponentProps<'td'>): ReactElement {
  return <td className={classNames('px-4 py-1.5 align-top', className)} {...rest} />
}
