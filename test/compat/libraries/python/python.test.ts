import { testLibraries } from '../suite.ts'
import { PYTHON_LIBRARIES } from './libraries.ts'

testLibraries('Python', PYTHON_LIBRARIES)
