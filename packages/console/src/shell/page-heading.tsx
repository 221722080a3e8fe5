import type { ReactElement, ReactNode } from 'react'

interface PageHeadingProps {
  readonly title: string
  /** The link to the list that the page belongs to. */
  readonly up?: ReactNode
  /** What the page is for, in a sentence. */
  readonly about?: ReactNode
  /** The buttons of the page; the main one last. */
  readonly actions?: ReactNode
}

/** The heading of a page. It is the title of the tab, too. */
export function PageHeading({ title, up, about, actions }: PageHeadingProps): ReactElement {
  return (
    <header className="mb-4 flex flex-wrap items-start justify-between gap-x-6 gap-y-2">
      <title>{`${title} · Hookline`}</title>
      <div className="min-w-0 flex-1 basis-72">
        {up !== undefined && <p className="text-dense mb-1">{up}</p>}
        <h1 className="text-page font-semibold">{title}</h1>
        {about !== undefined && <p className="text-ink-soft max-w-4xl">{about}</p>}
      </div>
      {actions !== undefined && <div className="flex flex-wrap gap-2">{actions}</div>}
    </header>
  )
}
