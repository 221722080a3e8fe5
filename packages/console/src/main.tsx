import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { CONSOLE_PATH } from './api/addresses.ts'
import { onSessionLost } from './api/client.ts'
import { problemOf } from './api/problem.ts'
import { sessionQuery } from './api/session.ts'
import './design/tokens.css'
import { applyTheme } from './format/theme.ts'
import { reloadAfterUpgrade } from './shell/reload-after-upgrade.ts'
import { router } from './shell/router.tsx'

const MAX_RETRIES = 3

const client = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 2_000,
      // A refused request would be refused again; only an unreachable or failing service is worth
      // retrying.
      retry: (count, error) => {
        const { code, status } = problemOf(error)
        return count < MAX_RETRIES && (code === 'unreachable' || status >= 500)
      },
    },
  },
})

applyTheme()
onSessionLost(() => void client.invalidateQueries(sessionQuery))
reloadAfterUpgrade()

// The page and the session are fetched at the same time. The content of index.html stays until both have arrived, because React
// would otherwise replace it with a skeleton first. The sign-in page needs no session.
const isSignIn = location.pathname === `${CONSOLE_PATH}sign-in`
void Promise.allSettled([router.load(), isSignIn || client.prefetchQuery(sessionQuery)]).then(() =>
  createRoot(document.getElementById('console')!).render(
    <StrictMode>
      <QueryClientProvider client={client}>
        <RouterProvider router={router} />
      </QueryClientProvider>
    </StrictMode>,
  ),
)
