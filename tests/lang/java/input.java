package org.example.billing;

import java.math.BigDecimal;
import java.util.*;
import static java.util.Objects.requireNonNull;
import org.example.store.Store.Key;

/**
 * Makes invoices of orders.
 *
 * <p>Thread-safe.
 */
@Service
public class InvoiceService extends AbstractService<Invoice> implements Closeable, Listener<Order> {
    private static final BigDecimal VAT = new BigDecimal("0.19");
    protected int retries = 3, failures;
    private final Store store;

    // Keeps the store open.
    public InvoiceService(Store store) {
        super(store.name());
        this.store = requireNonNull(store);
    }

    /** One invoice for an order. */
    @Override
    @Transactional(readOnly = false)
    public Invoice create(Order order, List<? extends Line> lines) throws BillingException {
        BigDecimal total = lines.stream().map(Line::price).reduce(BigDecimal.ZERO, BigDecimal::add);
        if (total.signum() < 0) {
            throw new BillingException("negative");
        }
        Invoice invoice = Invoice.builder().total(total.multiply(VAT)).build();
        store.save(invoice);
        notifyAll(invoice);
        return invoice;
    }

    private void notifyAll(Invoice invoice) {
        listeners.forEach(new Consumer<Listener>() {
            @Override
            public void accept(Listener listener) {
                listener.onInvoice(invoice);
            }
        });
    }

    @Override
    public void close() {
        this.store.close();
        InvoiceService.super.close();
    }

    /** Why an invoice was refused. */
    public enum Refusal {
        NEGATIVE("negative total"),
        EMPTY("no lines") {
            @Override
            boolean isFinal() { return true; }
        };

        private final String text;

        Refusal(String text) { this.text = text; }

        boolean isFinal() { return false; }
    }

    interface Visitor<R> extends Function<Invoice, R> {
        int MAX_DEPTH = 8;
        R visit(Invoice invoice);

        default R visitAll(Collection<Invoice> invoices) {
            return invoices.stream().map(this::visit).findFirst().get();
        }
    }

    record Line(String text, BigDecimal price) {
        Line {
            requireNonNull(text);
        }

        static Line of(String text) { return new Line(text, BigDecimal.ONE); }
    }

    @interface Audited {
        String value() default "";
    }
}
