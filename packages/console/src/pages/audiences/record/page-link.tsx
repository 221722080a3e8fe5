import { Link } from '@tanstack/react-router'
import type { ReactElement, ReactNode } from 'react'
import { classNames } from '../../../design/class-names.ts'

interface PageLinkProps {
  readonly search: Readonly<Record<string, string>>
  readonly children: ReactNode
  readonly className?: string
}

/** Links to another view of the audiences page. */
export function PageLink({ search, children, className }: PageLinkProps): ReactElement {
  return (
    <Link
      to="/audiences"
      search={search}
      className={classNames('text-accent hover:underline', className)}
    >
      {children}
    </Link>
  )
}

/** A `PageLink` that looks like a button. */
export function ButtonLink({
  variant = 'plain',
  ...rest
}: PageLinkProps & { readonly variant?: 'primary' | 'plain' }): ReactElement {
  return (
    <PageLink
      {...rest}
      className={classNames(
        'rounded-small text-dense inline-flex min-h-8 items-center border px-3 py-1 font-medium whitespace-nowrap hover:no-underline',
        variant === 'primary'
          ? 'bg-accent text-on-accent! hover:bg-accent-strong border-transparent'
          : 'bg-surface text-ink! border-line-strong hover:bg-hover',
      )}
    />
  )
}
