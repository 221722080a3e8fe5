import DefaultTheme from 'vitepress/theme-without-fonts'
import { h } from 'vue'
import './style.css'

/** `target` makes VitePress leave the link to the browser: the page belongs to the service, not to the site. */
function apiReference() {
  return h('a', { class: 'api-reference', href: '/api/docs', target: '_self' }, 'API reference')
}

export default {
  extends: DefaultTheme,
  Layout: () =>
    h(DefaultTheme.Layout, null, {
      'nav-bar-content-after': apiReference,
      'sidebar-nav-after': apiReference,
    }),
}
