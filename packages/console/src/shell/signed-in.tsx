import { useQuery } from '@tanstack/react-query'
import { useLocation, useNavigate } from '@tanstack/react-router'
import { type ReactElement, useEffect, useState } from 'react'
import { problemOf } from '../api/problem.ts'
import { sessionQuery } from '../api/session.ts'
import { Failed, Skeleton } from '../design/states.tsx'
import { Shell } from './shell.tsx'

export function SignedIn(): ReactElement {
  const { data, error, refetch } = useQuery(sessionQuery)
  if (error !== null && problemOf(error).status === 401) return <ToSignIn />
  if (data !== undefined) return <Shell />
  if (error !== null) return <Failed error={error} onRetry={() => void refetch()} />
  return <Skeleton lines={6} />
}

/** The sign-in page returns to the current page. */
function ToSignIn(): ReactElement {
  const { href } = useLocation()
  const [to] = useState(href)
  const navigate = useNavigate()
  useEffect(() => {
    const search: object = to === '/' ? {} : { to }
    void navigate({ to: '/sign-in', search, replace: true })
  }, [navigate, to])
  return <Skeleton lines={6} />
}
