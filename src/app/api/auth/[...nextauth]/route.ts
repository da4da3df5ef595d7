import NextAuth from 'next-auth';
import { authOptions, guardAuth } from '@/server/http/web-auth';

const handler = guardAuth(NextAuth(authOptions));

export { handler as GET, handler as POST };
