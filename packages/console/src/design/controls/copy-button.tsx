import { type ReactElement, useEffect, useState } from 'react'
import { classNames } from '../class-names.ts'
import { Icon } from '../icon.tsx'

const SHOWN_MS = 1_500

interface CopyButtonProps {
  readonly text: string
  /** For screen readers: "the write key". */
  readonly what: string
  readonly className?: string
}

export function CopyButton({ text, what, className }: CopyButtonProps): ReactElement {
  const [result, setResult] = useState<'copied' | 'failed'>()
  useEffect(() => {
    const timer = setTimeout(() => setResult(undefined), SHOWN_MS)
    return () => clearTimeout(timer)
  }, [result])
  const words =
    result === 'copied' ? 'Copied' : result === 'failed' ? 'Copy failed' : `Copy ${what}`
  return (
    <button
      type="button"
      aria-label={words}
      title={words}
      className={classNames(
        'text-ink-faint hover:text-ink hover:bg-hover rounded-small inline-flex size-6 shrink-0 items-center justify-center align-middle',
        className,
      )}
      onClick={(event) => {
        event.stopPropagation()
        void copy(text).then(setResult)
      }}
    >
      <Icon name={result === 'copied' ? 'check' : 'copy'} className="size-3.5" />
      <span role="status" className="sr-only">
        {result === undefined ? '' : words}
      </span>
    </button>
  )
}

/** Without TLS, browsers have no clipboard API, but can copy a selection. */
async function copy(text: string): Promise<'copied' | 'failed'> {
  try {
    if (navigator.clipboard !== undefined) {
      await navigator.clipboard.writeText(text)
      return 'copied'
    }
    const area = document.createElement('textarea')
    area.value = text
    document.body.append(area)
    area.select()
    const isCopied = document.execCommand('copy')
    area.remove()
    return isCopied ? 'copied' : 'failed'
  } catch {
    return 'failed'
  }
}
