import {
  Children,
  cloneElement,
  type ComponentProps,
  createContext,
  isValidElement,
  type ReactElement,
  type ReactNode,
  use,
} from 'react'
import { classNames } from '../class-names.ts'
import './table.css'

interface TableProps {
  readonly label: string
  readonly head: readonly ReactNode[]
  readonly children: ReactNode
}

const TableHead = createContext<readonly ReactNode[]>([])

/**
 * On narrow screens, each row is a block: its first cell, then the others with their column titles. The roles keep it a table for
 * screen readers. `relative` keeps `sr-only` elements inside.
 */
export function Table({ label, head, children }: TableProps): ReactElement {
  return (
    <div
      className="table-scroller rounded-panel relative overflow-x-auto"
      tabIndex={0}
      role="region"
      aria-label={label}
    >
      <table role="table" className="text-dense w-full text-left">
        <thead role="rowgroup">
          <tr role="row" className="border-line text-ink-faint text-note border-b">
            {head.map((title, index) => (
              <th
                key={index}
                role="columnheader"
                scope="col"
                className="px-4 py-1.5 font-medium whitespace-nowrap"
              >
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody role="rowgroup">
          <TableHead value={head}>{children}</TableHead>
        </tbody>
      </table>
    </div>
  )
}

interface RowProps extends ComponentProps<'tr'> {
  readonly isCurrent?: boolean
  /** Called for a click anywhere on the row, except on its controls or to select text. */
  readonly onOpen?: () => void
}

export function Row({
  isCurrent = false,
  onOpen,
  className,
  children,
  ...rest
}: RowProps): ReactElement {
  const head = use(TableHead)
  return (
    <tr
      role="row"
      aria-current={isCurrent || undefined}
      onClick={({ target, currentTarget }) => {
        // React also bubbles clicks from cards and dialogs that the row has opened elsewhere in the page.
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
    >
      {Children.toArray(children).map((cell, index) => withLabel(cell, head[index]))}
    </tr>
  )
}

function withLabel(cell: ReactNode, title: ReactNode): ReactNode {
  if (!isValidElement<{ readonly 'data-column'?: string }>(cell) || typeof title !== 'string')
    return cell
  return cloneElement(cell, { 'data-column': title })
}

export function Cell({ className, ...rest }: ComponentProps<'td'>): ReactElement {
  return <td role="cell" className={classNames('px-4 py-1.5 align-top', className)} {...rest} />
}
