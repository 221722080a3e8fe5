import { Link, useLocation, useRouter } from '@tanstack/react-router'
import { lazy, type ReactElement, Suspense, useMemo, useState } from 'react'
import { Button } from '../design/controls/button.tsx'
import { Icon } from '../design/icon.tsx'
import { shownText } from '../format/shown-text.ts'
import { storedValue } from '../format/stored-value.ts'

/** A page with filters, kept under a name in this browser. */
export interface SavedView {
  readonly name: string
  /** Path and query, without the console's base path. */
  readonly to: string
}

// Lazy, because the first page needs no dialog.
const SaveView = lazy(() =>
  import('./save-view.tsx').then(({ SaveView: view }) => ({ default: view })),
)

const MAX_VIEWS = 20
export const MAX_NAME_CHARACTERS = 60

const { useValue, get, set } = storedValue('hookline-views', (stored) => stored ?? '[]')

/** The saved views, by name. */
export function useSavedViews(): readonly SavedView[] {
  const stored = useValue()
  return useMemo(() => viewsIn(stored), [stored])
}

/** Replaces a view with the same name. Beyond `MAX_VIEWS`, the oldest is removed. */
export function saveView(view: SavedView): void {
  const others = viewsIn(get()).filter(({ name }) => name !== view.name)
  set(JSON.stringify([...others, view].slice(-MAX_VIEWS)))
}

function removeView(to: string): void {
  set(JSON.stringify(viewsIn(get()).filter((view) => view.to !== to)))
}

function viewsIn(stored: string): readonly SavedView[] {
  try {
    const views: unknown = JSON.parse(stored)
    return Array.isArray(views) ? views.filter(isView) : []
  } catch {
    return []
  }
}

function isView(value: unknown): value is SavedView {
  const { name, to } = (value ?? {}) as Partial<Record<keyof SavedView, unknown>>
  return typeof name === 'string' && typeof to === 'string' && to.startsWith('/')
}

/** The address of the page, as in `SavedView`; `undefined` without a query. */
function useFilteredAddress(): string | undefined {
  const base = useRouter().basepath.replace(/\/$/, '')
  const { pathname, searchStr } = useLocation()
  const path = pathname.startsWith(`${base}/`) ? pathname.slice(base.length) : pathname
  return searchStr === '' ? undefined : path + searchStr
}

export function SavedViews({ onGo }: { readonly onGo?: () => void }): ReactElement | null {
  const views = useSavedViews()
  const current = useFilteredAddress()
  if (views.length === 0) return null
  return (
    <nav aria-label="Saved views">
      <h2 className="text-ink-faint text-note mb-1 px-2">Saved views</h2>
      <ul className="flex flex-col gap-px">
        {views.map((view) => (
          <li key={view.name} className="flex items-center">
            <ViewLink view={view} isCurrent={view.to === current} onGo={() => onGo?.()} />
            <Button
              variant="quiet"
              className="min-h-7 px-1.5"
              aria-label={`Remove the view ${view.name}`}
              onClick={() => removeView(view.to)}
            >
              <Icon name="cross" className="size-3" />
            </Button>
          </li>
        ))}
      </ul>
    </nav>
  )
}

interface ViewLinkProps {
  readonly view: SavedView
  readonly isCurrent: boolean
  readonly onGo: () => void
}

function ViewLink({ view: { name, to }, isCurrent, onGo }: ViewLinkProps): ReactElement {
  const [path = '/', query] = to.split('?')
  // The page is not known at compile time, so neither is the type of its query parameters.
  const search = Object.fromEntries(new URLSearchParams(query)) as never
  return (
    <Link
      to={path}
      search={search}
      aria-current={isCurrent ? 'page' : undefined}
      className={`hover:bg-hover hover:text-ink rounded-small min-w-0 flex-1 truncate px-2 py-1.5 ${
        isCurrent ? 'bg-accent-soft text-accent font-medium' : 'text-ink-soft'
      }`}
      onClick={onGo}
    >
      {shownText(name, MAX_NAME_CHARACTERS)}
    </Link>
  )
}

/** Saves the page with its filters. Hidden without filters, or if the view is saved already. */
export function SaveViewButton(): ReactElement | null {
  const views = useSavedViews()
  const to = useFilteredAddress()
  const [isOpen, setIsOpen] = useState(false)
  if (to === undefined || views.some((view) => view.to === to)) return null
  return (
    <>
      <Button variant="quiet" onClick={() => setIsOpen(true)}>
        Save view
      </Button>
      <Suspense>{isOpen && <SaveView to={to} onClose={() => setIsOpen(false)} />}</Suspense>
    </>
  )
}
