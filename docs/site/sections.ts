import { existsSync, readdirSync } from 'node:fs'
import { PAGES_OUTSIDE, ROOT, sitePathOf } from './pages.ts'

/** A folder of `docs`, with the pages outside `docs` that have the same path on the site. */
export interface Section {
  readonly title: string
  readonly about: string
  readonly files: readonly string[]
}

interface Folder {
  readonly folder: string
  readonly title: string
  readonly about: string
  /** The first pages, in this order. The others follow by name. */
  readonly first: readonly string[]
}

const FOLDERS: readonly Folder[] = [
  {
    folder: 'tutorials',
    title: 'Tutorials',
    about: 'Learn Hookline step by step. Run the commands in order.',
    first: ['first-delivery', 'receiver', 'import-history'],
  },
  {
    folder: 'clients',
    title: 'Client libraries',
    about: 'How to send calls, by language.',
    first: ['README', 'node', 'browser', 'react-native', 'python', 'go', 'java'],
  },
  {
    folder: 'guides',
    title: 'Guides',
    about: 'How to do a specific task.',
    first: [
      'install',
      'console',
      'deploying',
      'reverse-proxy',
      'receivers',
      'receiver-authentication',
      'webhook-limits',
      'inspector',
      'find-a-failing-webhook',
      'alerts',
    ],
  },
  {
    folder: 'receivers',
    title: 'Receivers',
    about: 'Complete receivers, by language.',
    first: ['node', 'python', 'go'],
  },
  {
    folder: 'reference',
    title: 'Reference',
    about: 'Look up settings, commands, APIs and codes.',
    first: ['config', 'cli', 'ingestion-api', 'webhook-payload', 'errors'],
  },
  {
    folder: 'explanation',
    title: 'Explanation',
    about: 'Understand the design and its limits.',
    first: ['comparison', 'promises', 'privacy', 'performance', 'scaling'],
  },
  {
    folder: 'decisions',
    title: 'Decisions',
    about: 'Design decisions and their reasons.',
    first: ['README'],
  },
  {
    folder: 'contributing',
    title: 'Contributing',
    about: 'How to make common changes to the code.',
    first: ['CONTRIBUTING', 'tests'],
  },
  {
    folder: 'project',
    title: 'Project',
    about: 'Architecture, changelog and security policy.',
    first: ['ARCHITECTURE'],
  },
]

/** All pages except the two start pages. New pages of a folder are included automatically. */
export function sections(): Section[] {
  return FOLDERS.map(({ folder, title, about, first }) => {
    const place = (file: string): number => {
      const index = first.findIndex((name) => file.endsWith(`${name}.md`))
      return index === -1 ? first.length : index
    }
    const files = pagesOf(folder).toSorted((a, b) => place(a) - place(b) || a.localeCompare(b))
    return { title, about, files }
  }).filter(({ files }) => files.length > 0)
}

function pagesOf(folder: string): string[] {
  const path = `${ROOT}docs/${folder}`
  const names = existsSync(path) ? readdirSync(path) : []
  return [
    ...names.filter((name) => name.endsWith('.md')).map((name) => `docs/${folder}/${name}`),
    ...PAGES_OUTSIDE.filter((file) => sitePathOf(file)?.startsWith(`${folder}/`)),
  ]
}
