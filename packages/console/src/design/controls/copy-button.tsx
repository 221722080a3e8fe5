import { type ReactElement, useEffect, useState } from 'react'
import { classNames } from '../class-names.ts'
import { Icon } from '../icon.tsx'

const SAID_MS = 1_500

interface CopyButtonProps {
  readonly text: string
  /** What is copied, for screen readers: "the write key". */
  readonly what: string
  readonly className?: string
}

/** Copies a text, and says so. */
export function CopyButton({ text, what, className }: CopyButtonProps): ReactElement {
  const [said, setSaid] = useState<'copied' | 'failed'>()
  useEffect(() => {
    const timer = setTimeout(() => setSaid(undefined), SAID_MS)
    return () => clearTimeout(timer)
  }, [said])
  const words = said === 'copied' ? 'Copied' : said === 'failed' ? 'Not copied' : `Copy ${what}`
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
        void copy(text).then(setSaid)
      }}
    >
      <Icon name={said === 'copied' ? 'check' : 'copy'} className="size-3.5" />
      <span role="status" className="sr-only">
        {said === undefined ? '' : words}
      </span>
    </button>
  )
}

/** Without TLS, on another machine than this one, browsers have no clipboard API: a selected text can be copied all the same. */
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
