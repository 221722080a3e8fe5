import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
} from '@tanstack/react-router'
import type { ReactElement } from 'react'
import { CONSOLE_PATH } from '../api/addresses.ts'
import { pathPartOf, userIdIn } from '../domain/user-path.ts'
import { Failed, Skeleton } from '../design/states.tsx'
import { NotFoundPage } from './not-found-page.tsx'
import { SignedIn } from './signed-in.tsx'

const root = createRootRoute({ component: Outlet, notFoundComponent: NotFoundPage })

const shell = createRoute({ getParentRoute: () => root, id: 'shell', component: SignedIn })

type PageModule = Record<string, () => ReactElement>

/** A page inside the shell, loaded when it is first opened. */
function page(path: string, load: () => Promise<PageModule>, name: string) {
  const component = lazyRouteComponent(load, name)
  return createRoute({ getParentRoute: () => shell, path, component })
}

const routeTree = root.addChildren([
  createRoute({
    getParentRoute: () => root,
    path: '/sign-in',
    component: lazyRouteComponent(() => import('../pages/sign-in/sign-in-page.tsx'), 'SignInPage'),
  }),
  shell.addChildren([
    page(
      '/get-started',
      () => import('../pages/get-started/get-started-page.tsx'),
      'GetStartedPage',
    ),
    page('/', () => import('../pages/overview/overview-page.tsx'), 'OverviewPage'),
    page('/live', () => import('../pages/live/live-page.tsx'), 'LivePage'),
    page('/events', () => import('../pages/events/events-page.tsx'), 'EventsPage'),
    page('/events/$id', () => import('../pages/events/trace-page.tsx'), 'TracePage'),
    page(
      '/destinations',
      () => import('../pages/destinations/destinations-page.tsx'),
      'DestinationsPage',
    ),
    page(
      '/destinations/$id',
      () => import('../pages/destinations/destination-page.tsx'),
      'DestinationPage',
    ),
    page('/catalog', () => import('../pages/catalog/catalog-page.tsx'), 'CatalogPage'),
    page('/failures', () => import('../pages/failures/failures-page.tsx'), 'FailuresPage'),
    page('/alerts', () => import('../pages/alerts/alerts-page.tsx'), 'AlertsPage'),
    page('/sources', () => import('../pages/sources/sources-page.tsx'), 'SourcesPage'),
    page('/audiences', () => import('../pages/audiences/audiences-page.tsx'), 'AudiencesPage'),
    page('/users', () => import('../pages/users/users-page.tsx'), 'UsersPage'),
    page('/privacy', () => import('../pages/privacy/privacy-page.tsx'), 'PrivacyPage'),
    page('/inspector', () => import('../pages/inspector/inspector-page.tsx'), 'InspectorPage'),
    page('/system', () => import('../pages/system/system-page.tsx'), 'SystemPage'),
    createRoute({
      getParentRoute: () => shell,
      path: '/users/$userId',
      params: {
        parse: ({ userId }) => ({ userId: userIdIn(userId) }),
        stringify: ({ userId }) => ({ userId: pathPartOf(userId) }),
      },
      component: lazyRouteComponent(() => import('../pages/users/user-page.tsx'), 'UserPage'),
    }),
  ]),
])

/** Query parameters are always text: see `url-state.ts`. */
export const router = createRouter({
  routeTree,
  basepath: CONSOLE_PATH,
  parseSearch: (query) => Object.fromEntries(new URLSearchParams(query)),
  stringifySearch: (search) => {
    const query = new URLSearchParams(search as Record<string, string>).toString()
    return query === '' ? '' : `?${query}`
  },
  defaultPreload: 'intent',
  defaultPendingMs: 300,
  defaultPendingComponent: () => <Skeleton lines={6} />,
  defaultErrorComponent: ({ error, reset }): ReactElement => (
    <Failed error={error} onRetry={reset} />
  ),
  scrollRestoration: true,
})
