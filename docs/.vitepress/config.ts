import { relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitepress'
import { keepBraces, titleFences } from '../site/code.ts'
import { followLinks } from '../site/links.ts'
import { filesOutsideSite, ROOT, sitePathOf } from '../site/pages.ts'
import { moveScripts } from '../site/script-files.ts'
import { sidebar } from '../site/sidebar.ts'
import { slugOf } from '../site/slug.ts'

const BASE = '/docs/'
const SITE = fileURLToPath(new URL('../../packages/server/docs-site', import.meta.url))

function fromRoot(path: string): string {
  return relative(ROOT, path).split(sep).join('/')
}

export default defineConfig({
  title: 'Hookline',
  description: 'Receives analytics events over HTTP and forwards them as signed webhooks',
  lang: 'en',
  base: BASE,
  srcDir: ROOT,
  srcExclude: filesOutsideSite(),
  outDir: SITE,
  cacheDir: `${ROOT}node_modules/.cache/vitepress`,
  cleanUrls: true,
  // Without transitions, the theme would add a style element, which the Content-Security-Policy forbids.
  appearance: { disableTransition: false },
  rewrites: (path) => sitePathOf(path) ?? path,
  head: [['link', { rel: 'icon', type: 'image/svg+xml', href: `${BASE}icon.svg` }]],
  markdown: {
    anchor: { slugify: slugOf },
    config: (markdown) => {
      followLinks(markdown, fromRoot)
      titleFences(markdown)
      keepBraces(markdown)
    },
  },
  vite: { publicDir: `${ROOT}docs/public`, build: { assetsInlineLimit: 0 } },
  themeConfig: {
    nav: [
      { text: 'Tutorials', link: '/tutorials/first-delivery', activeMatch: '^/tutorials/' },
      { text: 'Clients', link: '/clients/', activeMatch: '^/clients/' },
      { text: 'Guides', link: '/guides/install', activeMatch: '^/guides/' },
      { text: 'Reference', link: '/reference/config', activeMatch: '^/reference/' },
      { text: 'Explanation', link: '/explanation/promises', activeMatch: '^/explanation/' },
    ],
    sidebar: sidebar(),
    outline: [2, 3],
    search: { provider: 'local', options: { detailedView: true } },
    externalLinkIcon: true,
  },
  transformHtml: (html) => moveScripts(html, SITE, BASE),
})
