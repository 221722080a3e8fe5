import DefaultTheme from 'vitepress/theme-without-fonts'
import { h } from 'vue'
import './style.css'

/** The router of the site leaves a link with a target to the browser. The service has the page, not the site. */
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
