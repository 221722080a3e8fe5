import type { ReactElement, ReactNode } from 'react'

interface PageHeadingProps {
  readonly title: string
  /** A link to the parent page. */
  readonly up?: ReactNode
  readonly about?: ReactNode
  /** Buttons, the main one last. */
  readonly actions?: ReactNode
}

/** The heading of a page, also used as the title of the tab. */
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
