import type { ComponentProps, ReactElement } from 'react'
import { classNames } from '../class-names.ts'

type Variant = 'primary' | 'plain' | 'quiet' | 'danger'

const VARIANTS: Readonly<Record<Variant, string>> = {
  primary: 'bg-accent text-on-accent hover:bg-accent-strong border-transparent',
  plain: 'bg-surface text-ink border-line-strong hover:bg-hover',
  quiet: 'text-ink-soft border-transparent hover:bg-hover hover:text-ink',
  danger: 'bg-surface text-failed border-failed hover:bg-failed-soft',
}

interface ButtonProps extends ComponentProps<'button'> {
  /** `primary`: at most one on a page. `danger`: cannot be undone. */
  readonly variant?: Variant
  readonly isBusy?: boolean
}

export function Button({
  variant = 'plain',
  isBusy = false,
  className,
  disabled,
  ...rest
}: ButtonProps): ReactElement {
  return (
    <button
      type="button"
      aria-busy={isBusy || undefined}
      disabled={disabled === true || isBusy}
      className={classNames(
        'rounded-small text-dense inline-flex min-h-8 items-center justify-center gap-1.5 border px-3 py-1 font-medium whitespace-nowrap',
        'disabled:opacity-60',
        VARIANTS[variant],
        className,
      )}
      {...rest}
    />
  )
}
