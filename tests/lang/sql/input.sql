-- The shop's tables.
CREATE SCHEMA IF NOT EXISTS shop;

CREATE TYPE shop.state AS ENUM ('open', 'paid');

-- Who buys.
CREATE TABLE shop.customer (
    id bigint PRIMARY KEY,
    email text NOT NULL UNIQUE,
    created_at timestamptz DEFAULT now()
);

/* What was bought. */
CREATE TABLE IF NOT EXISTS shop."order" (
    id bigint PRIMARY KEY,
    customer_id bigint NOT NULL REFERENCES shop.customer (id),
    total numeric(10, 2) CHECK (total >= 0)
);

CREATE INDEX order_by_customer ON shop."order" (customer_id);

CREATE UNIQUE INDEX IF NOT EXISTS customer_email ON shop.customer (lower(email));

CREATE OR REPLACE VIEW shop.open_order AS
SELECT o.id, c.email
FROM shop."order" o
JOIN shop.customer c ON c.id = o.customer_id
WHERE o.total > 0;

CREATE MATERIALIZED VIEW daily_total AS
SELECT date_trunc('day', created_at) AS day, sum(total) FROM orders GROUP BY 1;

-- Total of one customer.
CREATE OR REPLACE FUNCTION shop.customer_total(who bigint) RETURNS numeric AS $$
    SELECT sum(total) FROM shop."order" WHERE customer_id = who;
$$ LANGUAGE sql;

CREATE FUNCTION touch() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.updated_at := now();
    PERFORM shop.audit(NEW.id);
    RETURN NEW;
END;
$$;

CREATE TRIGGER order_touch BEFORE UPDATE ON shop."order"
    FOR EACH ROW EXECUTE FUNCTION touch();

CREATE SEQUENCE invoice_number START 1000;

ALTER TABLE shop."order" ADD COLUMN note text;

INSERT INTO shop.customer (id, email) VALUES (1, 'ann@example.org');

SELECT shop.customer_total(id) FROM shop.customer;

UPDATE shop."order" SET total = 0 WHERE id = 1;
