import type { ComponentProps, ReactElement } from 'react'
import { classNames } from '../class-names.ts'

type Look = 'main' | 'plain' | 'quiet' | 'danger'

const LOOKS: Readonly<Record<Look, string>> = {
  main: 'bg-accent text-on-accent hover:bg-accent-strong border-transparent',
  plain: 'bg-surface text-ink border-line-strong hover:bg-hover',
  quiet: 'text-ink-soft border-transparent hover:bg-hover hover:text-ink',
  danger: 'bg-surface text-failed border-failed hover:bg-failed-soft',
}

interface ButtonProps extends ComponentProps<'button'> {
  /** `main`: at most one on a page. `danger`: cannot be undone. */
  readonly look?: Look
  readonly isBusy?: boolean
}

export function Button({
  look = 'plain',
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
        LOOKS[look],
        className,
      )}
      {...rest}
    />
  )
}
