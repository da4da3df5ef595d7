-- Ids begin with their time: the primary key finds old emails, and every email costs one index less, three times.
-- DropIndex
DROP INDEX "outgoing_mail_createdAt_idx";
