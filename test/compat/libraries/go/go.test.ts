import { testLibraries } from '../suite.ts'
import { GO_LIBRARIES } from './libraries.ts'

testLibraries('Go', GO_LIBRARIES)
