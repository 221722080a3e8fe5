import { sitePathOf, titleOf } from './pages.ts'
import { sections } from './sections.ts'

export interface SidebarGroup {
  readonly text: string
  readonly collapsed: boolean
  readonly items: { readonly text: string; readonly link: string }[]
}

const COLLAPSED: readonly string[] = ['Decisions', 'Contributing', 'Project']

/** The sidebar, with links to all pages of the site. */
export function sidebar(): SidebarGroup[] {
  const start = { title: 'Start', files: ['docs/README.md', 'README.md'] }
  return [start, ...sections()].map(({ title, files }) => ({
    text: title,
    collapsed: COLLAPSED.includes(title),
    items: files.map((file) => ({ text: titleOf(file), link: addressOf(file) })),
  }))
}

/** The address of a page, relative to the base of the site. */
function addressOf(file: string): string {
  const path = sitePathOf(file) ?? file
  return `/${path.replace(/(^|\/)index\.md$|\.md$/, '$1')}`
}
